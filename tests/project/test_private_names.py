"""No file leans on another package's private names, and the reader that says so can fail."""

import pytest
import torch

import namedtensor as nt
from tests.project.interpreter import ROOT
from tests.project.private_names import ALLOWED, private_names, private_uses


def test_the_private_names_in_use_are_those_allowed():
    uses = private_uses(ROOT / "namedtensor") | private_uses(ROOT / "transformer_named")
    assert uses == ALLOWED


def test_a_file_that_takes_a_private_name_is_seen(tmp_path):
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "a.py").write_text("import torch\ntorch._C")
    (tmp_path / "room" / "b.py").write_text("import torch\ntorch.nn")
    assert private_uses(tmp_path) == {f"{tmp_path.name}/room/a.py": {"torch._C"}}


def test_torch_s_private_door_to_its_trees_is_where_it_was():
    X = nt.tensor(torch.ones(3), "seq")
    leaves, structure = torch.utils._pytree.tree_flatten({"X": X})
    assert len(leaves) == 1
    assert leaves[0] is X.data
    again = torch.utils._pytree.tree_unflatten([torch.zeros(3)], structure)["X"]
    assert again.shape == X.shape
    assert again.torch("seq").tolist() == [0.0, 0.0, 0.0]


def test_torch_s_private_word_on_functorch_is_where_it_was():
    seen = []

    def look(x):
        seen.append(torch._C._functorch.is_functorch_wrapped_tensor(x))
        return x

    look(torch.ones(2))
    torch.vmap(look)(torch.ones(2))
    assert seen == [False, True]


def test_torch_s_private_word_on_backward_passes_is_where_it_was():
    seen = [torch._C._current_graph_task_id()]
    X = torch.ones(2, requires_grad=True)
    X.register_hook(lambda g: seen.append(torch._C._current_graph_task_id()))
    X.sum().backward()
    assert seen[0] == -1
    assert seen[1] != -1


def test_torch_s_private_draw_of_gammas_is_where_it_was():
    def draw():
        return torch._standard_gamma(torch.ones(3), torch.Generator().manual_seed(0))

    assert torch.equal(draw(), draw())


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import torch._dynamo", "torch._dynamo"),
        ("import torch._dynamo as dynamo", "torch._dynamo"),
        ("from torch.utils import _pytree", "torch.utils._pytree"),
        ("from torch.utils import _pytree as trees", "torch.utils._pytree"),
        ("from torch.utils._pytree import tree_map", "torch.utils._pytree.tree_map"),
        ("import torch\ntorch._C.f()", "torch._C"),
        ("import numpy as np\nnp.lib._x", "np.lib._x"),
        ("def f():\n    from einops import _backends", "einops._backends"),
    ],
)
def test_the_reader_sees_a_private_name(source, name):
    assert [found for _, found in private_names(source, "ours")] == [name]


@pytest.mark.parametrize(
    "source",
    [
        "from ours import _core",
        "import ours._core",
        "from ._core import f",
        "import torch\ntorch.__version__",
        "from __future__ import annotations",
        "class C:\n    def f(self):\n        return self._value",
    ],
)
def test_the_reader_lets_other_names_pass(source):
    assert list(private_names(source, "ours")) == []
