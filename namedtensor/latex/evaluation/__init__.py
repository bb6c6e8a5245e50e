"""Turn syntax into named tensors by the operations that everybody calls."""
