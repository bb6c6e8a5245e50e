"""Models written in axis names, each formula in the letters of its document.

| module | document |
|---|---|
| `named_tensors` | 001, Named Tensors: Transformer |
| `formulated`, `forward_pass` | 000, The Formulated Transformer |
| `the_transformer` | 002, The Transformer |
| `introduction` | 003, An introduction of Transformer |
| `attention_notes` | 004, Transformer: a brief introduction |

Formulas run on numpy and on torch. `models` holds the documents' whole models as torch modules.
"""
