"""Names of ours and theirs: what each spelling means, in both directions."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import namedtensor as nt
from namedtensor import R, formula
from tests.weights.models import attend, emb, grouped, head, hid, key, kv, project, two


def there_and_back(module, state, names, **more):
    """Load, save, and hold that every number came back to where it was."""
    found = nt.load(module, state, names, **more)
    again = {}
    nt.save(module, again, names, **{k: v for k, v in more.items() if k == "prefix"})
    assert set(again) == set(state) - set(found.unused)
    for name, data in again.items():
        assert torch.equal(data, torch.as_tensor(state[name]).to(data.dtype))
    return found


def drawn(*sizes):
    return torch.arange(float(np.prod(sizes))).reshape(sizes)


def test_their_axes_are_put_in_our_order():
    module = project.module(emb[2], hid[3])
    state = {"net.weight": drawn(3, 2), "net.bias": drawn(3)}
    found = there_and_back(module, state, {"W": "net.weight: hid emb", "b": "net.bias: hid"})
    assert found.unused == found.unfilled == ()
    assert torch.equal(module.W, state["net.weight"].T)


def test_without_axes_the_declared_order_is_taken():
    module = project.module(emb[2], hid[3])
    state = {"w": drawn(2, 3), "b": drawn(3)}
    there_and_back(module, state, {"W": "w", "b": "b"})
    assert torch.equal(module.W, state["w"])


def test_a_group_is_one_stored_axis():
    module = attend.module(head[2], emb[3], key[4])
    packed = drawn(8, 3)
    names = {
        "W{x}": "self.{x}.weight: (head key) emb",
        "x": {"Q": "query", "K": "key", "V": "value"},
    }
    state = {f"self.{x}.weight": packed + i for i, x in enumerate(("query", "key", "value"))}
    there_and_back(module, state, names)
    assert torch.equal(module.WK, packed.reshape(2, 4, 3).permute(0, 2, 1) + 1)


def test_a_dict_for_a_hole_may_stand_with_its_own_name():
    module = attend.module(head[2], emb[3], key[4])
    words = {"x": {"WQ": "query", "WK": "key", "WV": "value"}}
    state = {f"self.{x}.weight": drawn(8, 3) for x in words["x"].values()}
    there_and_back(module, state, {"{x}": ("self.{x}.weight: (head key) emb", words)})


def test_the_axis_that_ours_lack_is_split_in_the_order_of_the_tuple():
    module = attend.module(head[2], emb[3], key[4])
    packed = drawn(24, 3)
    there_and_back(module, {"qkv": packed}, {("WQ", "WK", "WV"): "qkv: (three head key) emb"})
    assert torch.equal(module.WV, packed[16:].reshape(2, 4, 3).permute(0, 2, 1))
    inside = drawn(2, 3, 4, 3)
    there_and_back(
        module, {"qkv": inside.reshape(24, 3)}, {("WK", "WQ", "WV"): "qkv: (head three key) emb"}
    )
    assert torch.equal(module.WK, inside[:, 0].permute(0, 2, 1))


def test_parts_of_other_sizes_are_joined_by_plus():
    module = grouped.module(head[4], kv[2], key[3], emb[5])
    packed = drawn(18, 5)
    there_and_back(module, {"qk": packed}, {("WQ", "WK"): "qk: (head key + kv key) emb"})
    assert torch.equal(module.WQ, packed[:12].reshape(4, 3, 5))
    assert torch.equal(module.WK, packed[12:].reshape(2, 3, 5))


def test_an_axis_of_ours_in_parts_is_put_in_another_order():
    module = grouped.module(head[4], kv[2], key[6], emb[5])
    state = {"q": drawn(24, 5), "k": drawn(12, 5)}
    there_and_back(
        module,
        state,
        {
            "WQ: head emb (half two[2])": "q: (head two half) emb",
            "WK": "k: (kv key) emb",
        },
    )
    halves = state["q"].reshape(4, 2, 3, 5)
    assert torch.equal(module.WQ, halves.permute(0, 2, 1, 3).reshape(4, 6, 5))


def test_several_of_theirs_are_one_of_ours():
    module = attend.module(head[2], emb[3], key[4])
    state = {f"{n}{i}": drawn(3, 4) + i for n in "QKV" for i in range(2)}
    there_and_back(
        module,
        state,
        {
            "WQ": ("Q0: emb key", "Q1: emb key"),
            "WK": "K{head}: emb key",
            "WV": "V{head}: emb key",
        },
    )
    assert torch.equal(module.WQ[1], state["Q1"])
    assert torch.equal(module.WV[1], state["V1"])


def test_a_function_and_its_inverse_stand_behind_a_name():
    module = project.module(emb[2], hid[3])
    state = {"w": drawn(3, 2), "b": drawn(3)}
    names = {
        "W": ("w: hid emb", lambda W: W + 1, lambda W: W - 1),
        "b": ("b: hid", lambda b: b * 2, lambda b: b / 2),
    }
    there_and_back(module, state, names)
    assert torch.equal(module.W, state["w"].T + 1)


def test_a_function_may_take_some_of_what_is_stored():
    module = project.module(emb[2], hid[3])
    state = {"w": drawn(5, 2), "b": drawn(3)}
    nt.load(module, state, {"W": ("w: hid emb", lambda W: W[hid[:3]]), "b": "b"})
    assert torch.equal(module.W, state["w"][:3].T)


def test_layers_are_named_once():
    module = torch.nn.ModuleList([two.module(emb[2], hid[3]) for _ in range(3)])
    state = {
        f"enc.{layer}.{side}.{kind}": drawn(*((3, 2) if kind == "weight" else (3,))) + layer
        for layer in range(3)
        for side in ("left", "right")
        for kind in ("weight", "bias")
    }
    names = {
        "{l}.{side}.W": "{l}.{side}.weight: hid emb",
        "{l}.{side}.b": "{l}.{side}.bias",
        "side": {"a": "left", "b": "right"},
    }
    there_and_back(module, state, names, prefix="enc.")
    assert torch.equal(module[2].b.W, state["enc.2.right.weight"].T)


def test_a_stack_of_bundles_is_named_by_its_layers():
    @formula
    def square(X: R[emb], *, W: R[emb, hid], V: R[hid, emb]) -> R[emb]:
        return V @ hid @ (W @ emb @ X)

    @formula
    def deep(X: R[emb], *, layers: nt.each[square]) -> R[emb]:
        for layer in layers:
            X = layer(X)
        return X

    module = deep.module(emb[2], hid[3], layers=2)
    state = {f"h.{i}.{n}": drawn(3, 2) + i for i in range(2) for n in ("up", "down")}
    there_and_back(
        module, state, {"layers.{l}.W": "h.{l}.up: hid emb", "layers.{l}.V": "h.{l}.down: hid emb"}
    )
    assert torch.equal(module.layers[1].W, state["h.1.up"].T)


def test_a_hole_that_stands_twice_is_one_word():
    module = torch.nn.ModuleDict(
        {"a": torch.nn.ModuleDict({"a": torch.nn.Linear(2, 3, bias=False)})}
    )
    nt.load(module, {"x.a": drawn(3, 2)}, {"{l}.{l}.weight": "x.{l}"})


def test_an_exact_name_goes_before_a_pattern():
    module = two.module(emb[2], hid[3])
    state = {"W": drawn(2, 3), "special": drawn(3, 2), "b.a": drawn(3), "b.b": drawn(3)}
    names = {"{l}.W": "W", "b.W": "special: hid emb", "{l}.b": "b.{l}"}
    there_and_back(module, state, names)
    assert torch.equal(module.b.W, state["special"].T)


def test_the_axes_of_a_plain_module_are_its_stored_order():
    module = torch.nn.Sequential(torch.nn.Linear(2, 3), project.module(emb[3], hid[4]))
    state = {"w": drawn(2, 3), "b": drawn(3), "W": drawn(4, 3), "c": drawn(4)}
    there_and_back(
        module,
        state,
        {"0.weight: out in": "w: in out", "0.bias": "b", "1.W": "W: hid emb", "1.b": "c"},
    )
    assert torch.equal(module[0].weight, state["w"].T)


def test_an_axis_of_size_1_needs_no_name():
    module = project.module(emb[2], hid[3])
    state = {"conv": drawn(3, 2, 1, 1), "b": drawn(1, 3)}
    there_and_back(module, state, {"W": "conv: hid emb 1 1", "b": "b: 1 hid"})
    assert torch.equal(module.W, state["conv"][:, :, 0, 0].T)


def test_without_names_ours_are_theirs_by_the_axes_that_a_state_dict_tells():
    @formula
    def turned(X: R[emb], *, W: R[hid, emb], b: R[hid]) -> R[hid]:
        return W @ emb @ X + b

    old, new = project.module(emb[3], hid[3]), turned.module(emb[3], hid[3])
    assert nt.load(new, old.state_dict()) == nt.load(new, old.state_dict(), {"{x}": "{x}"})
    assert torch.equal(new.W, old.W.T)


WORDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=4, unique=True)


@st.composite
def entries(draw):
    """Draw our axes with sizes, how each is parted, and theirs: the parts shuffled and grouped."""
    names = draw(WORDS)
    sizes = {n: draw(st.integers(1, 3)) for n in names}
    parted = draw(st.sampled_from([None, *names]))
    parts, ours = dict(sizes), []
    if parted is not None:
        low = draw(st.integers(1, 3))
        parts.pop(parted)
        parts |= {"low": low, "high": sizes[parted]}
        sizes[parted] *= low
    for n in names:
        ours.append(f"(high low[{parts['low']}])" if n == parted else n)
    if draw(st.booleans()) and parted is None:
        ours = []
    several = draw(st.integers(1, 3))
    order = draw(st.permutations([*parts, *(["part"] if several > 1 else [])]))
    groups, text, stored = [], [], []
    for name in order:
        if groups and draw(st.booleans()):
            groups[-1].append(name)
        else:
            groups.append([name])
    for group in groups:
        text.append(group[0] if len(group) == 1 else f"({' '.join(group)})")
        stored.append(int(np.prod([{**parts, "part": several}[n] for n in group])))
    return sizes, parts, parted, " ".join(ours), several, " ".join(text), order, stored


@given(entries())
@settings(max_examples=60)
def test_whatever_the_pattern_says_is_loaded_as_the_axes_say_and_saved_back(entry):
    sizes, parts, parted, ours, several, text, order, stored = entry

    class Holder(torch.nn.Module):
        pass

    module = Holder()
    for i in range(several):
        setattr(module, f"W{i}", torch.nn.Parameter(torch.zeros(*sizes.values())))
    # theirs is named wholly; without a pattern of ours a plain module's axes are named on the left
    own = ours or " ".join(sizes)
    names = tuple(f"W{i}: {own}" for i in range(several))
    state = {"packed": torch.randn(stored)}
    there_and_back(module, state, {names if several > 1 else names[0]: f"packed: {text}"})
    every = {**parts, "part": several}
    theirs = state["packed"].reshape([every[n] for n in order])
    expected = nt.tensor(theirs, " ".join(order))
    flat = [n for name in sizes for n in (("high", "low") if name == parted else (name,))]
    for i in range(several):
        one = expected[nt.Axis("part")(i)] if several > 1 else expected
        assert torch.equal(getattr(module, f"W{i}"), one.torch(*flat).reshape(*sizes.values()))
