"""Named tensors as people look at them."""
