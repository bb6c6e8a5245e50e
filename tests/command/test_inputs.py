"""The inputs of a formula that a command runs."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import B, R, Z, axes, formula
from namedtensor.command.files import CommandError
from namedtensor.command.inputs import (
    as_arguments,
    drawn,
    given_arrays,
    inputs_of,
    read_numbers,
    read_sizes,
)
from transformer_named import named_tensors as model

seq, key, emb = axes("seq key emb")
seq_ = seq.prime


@formula
def f(X: R[seq_, key], Y: R[seq, key], I: Z[seq], C: B[seq_], s: R = 2.0) -> R[seq_, seq]:
    return nt.where(C, X @ key @ Y + I, s)


def shapes(values):
    return {path: str(X.shape) for path, X in values.items()}


def test_sizes_and_numbers_are_read_from_words():
    assert read_sizes(["key=64", "seq'=5,emb=0"]) == {"key": 64, "seq'": 5, "emb": 0}
    assert read_numbers(["L=6,K=0", "epsilon=1e-6"]) == {"L": 6, "K": 0, "epsilon": 1e-6}


@pytest.mark.parametrize("word", ["key", "key=", "=3", "key=x", "key=-1", "key=1.5", "a=b=3"])
def test_a_word_that_is_no_size_is_refused(word):
    with pytest.raises(CommandError) as caught:
        read_sizes([word])
    assert str(caught.value) == f"--size {word}: a size is written axis=number, as key=64"


@pytest.mark.parametrize("word", ["L", "L=", "=3", "L=x", "d'=3", "a=b=3"])
def test_a_word_that_is_no_number_is_refused(word):
    with pytest.raises(CommandError) as caught:
        read_numbers([word])
    assert str(caught.value) == f"--bind {word}: a number is written name=number, as L=6"


def test_what_is_not_given_is_drawn_with_small_sizes_and_a_prime_has_the_size_of_its_axis():
    values = drawn(inputs_of(f), {}, {}, seed=0)
    assert shapes(values) == {
        "X": "seq'[3] x key[4]",
        "Y": "seq[3] x key[4]",
        "I": "seq[3]",
        "C": "seq'[3]",
    }
    assert {path: X.kind for path, X in values.items()} == {
        "X": "float",
        "Y": "float",
        "I": "int",
        "C": "bool",
    }
    assert f(**as_arguments(values)).shape == axes_of("seq'[3] seq[3]")


def axes_of(text):
    return nt.zeros(text).shape


def test_the_same_seed_draws_the_same_numbers():
    first, again = (drawn(inputs_of(f), {}, {}, seed=3) for _ in range(2))
    other = drawn(inputs_of(f), {}, {}, seed=4)
    assert (first["X"].numpy("seq' key") == again["X"].numpy("seq' key")).all()
    assert (first["X"].numpy("seq' key") != other["X"].numpy("seq' key")).any()


def test_sizes_come_from_the_command_then_from_given_arrays():
    given = {"Y": nt.ones("seq[5] key[6]")}
    values = drawn(inputs_of(f), given, {"seq'": 2}, seed=0)
    assert shapes(values)["X"] == "seq'[2] x key[6]"
    assert shapes(values)["I"] == "seq[5]"


def test_the_size_of_an_axis_that_nobody_has_is_refused():
    with pytest.raises(CommandError) as caught:
        drawn(inputs_of(f), {}, {"keys": 2}, seed=0)
    assert str(caught.value) == "--size keys=2: no input has an axis keys; did you mean key?"
    with pytest.raises(CommandError) as caught:
        drawn(inputs_of(f), {}, {"wide": 2}, seed=0)
    assert (
        str(caught.value) == "--size wide=2: no input has an axis wide; there are: seq', key, seq"
    )


def test_the_parameters_of_a_bundle_are_inputs_too():
    values = drawn(inputs_of(model.layer), {}, {"emb": 8}, seed=0)
    assert list(values) == [
        *("X", "mha.WQ", "mha.WK", "mha.WV", "mha.WO", "mha_norm.gamma", "mha_norm.beta"),
        *("ffn.W1", "ffn.b1", "ffn.W2", "ffn.b2", "ffn_norm.gamma", "ffn_norm.beta"),
    ]
    assert model.layer(**as_arguments(values)).shape == axes_of("seq[3] emb[8]")


# -------------------------------------------------------------------------------- from a file


def saved(tmp_path, **arrays):
    file = tmp_path / "in.npz"
    np.savez(file, **arrays)
    return str(file)


def test_arrays_have_the_axes_of_the_declaration_or_their_own(tmp_path):
    file = saved(tmp_path, X=np.ones((2, 3)), **{"Y[batch key seq]": np.ones((4, 3, 5))})
    values = given_arrays(file, inputs_of(f))
    assert shapes(values) == {"X": "seq'[2] x key[3]", "Y": "batch[4] x key[3] x seq[5]"}
    file = saved(tmp_path, **{"s": np.float64(3.0), "C[]": np.bool_(True)})
    assert shapes(given_arrays(file, inputs_of(f))) == {"s": "()", "C": "()"}


def refusal(file):
    with pytest.raises(CommandError) as caught:
        given_arrays(file, inputs_of(f))
    return str(caught.value).replace(file, "in.npz")


def test_an_array_with_more_axes_than_declared_must_name_them(tmp_path):
    assert refusal(saved(tmp_path, X=np.ones((2, 3, 4)))) == (
        "in.npz: X has 3 axes of sizes (2, 3, 4), and R[seq', key] has 2: seq' key; an array with "
        "more axes names them all: X[batch seq' key]"
    )


def test_an_array_that_is_no_input_is_refused(tmp_path):
    assert refusal(saved(tmp_path, T=np.ones(2))) == (
        "in.npz: the formula has no input T; there are: X, Y, I, C, s"
    )
    assert refusal(saved(tmp_path, **{"X]": np.ones(2)})).startswith(
        "in.npz: the formula has no input X]; "
    )


def test_axes_that_cannot_be_read_are_refused(tmp_path):
    assert refusal(saved(tmp_path, **{"X[3d]": np.ones(2)})) == (
        "in.npz: '3d': cannot read axes from '3d'\n"
        'hint: names are words, with primes and sizes: "seq seq\' emb[512]"'
    )


def test_a_file_that_is_no_archive_is_refused(tmp_path):
    assert refusal(str(tmp_path / "none.npz")) == ("in.npz: No such file or directory")
    for content in (b"", b"hello", b"PK\x03\x04 broken"):
        file = tmp_path / "in.npz"
        file.write_bytes(content)
        assert refusal(str(file)).startswith("in.npz: not an .npz file of arrays")


def test_arrays_of_python_objects_are_refused(tmp_path):
    assert refusal(saved(tmp_path, X=np.array([{}, []], dtype=object))).startswith(
        "in.npz: not an .npz file of arrays (Object arrays cannot be loaded"
    )


def test_an_array_alone_is_refused(tmp_path):
    file = tmp_path / "in.npz"
    with file.open("wb") as out:
        np.save(out, np.ones(3))
    assert refusal(str(file)).startswith("in.npz: not an .npz file of arrays")
