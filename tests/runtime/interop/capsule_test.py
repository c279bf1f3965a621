"""Exchanges arrays between Swage and another library of Python by DLPack's capsules.

Usage: capsule_test.py (numpy|torch) MODULE, where MODULE is the library of capsule_module.cc.

Runs with the first interpreter that has the library: one of PEER_PYTHON (paths, separated by colons),
this one, /usr/bin/python3. Exits with 77, which ctest shows as skipped, where none has it.
"""
import ctypes
import gc
import os
import subprocess
import sys
import unittest

SKIPPED = 77
NAMES = {False: (b"dltensor", b"used_dltensor"), True: (b"dltensor_versioned", b"used_dltensor_versioned")}

api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_GetName.restype = ctypes.c_char_p
api.PyCapsule_GetName.argtypes = [ctypes.py_object]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Swage:
    """A tensor of Swage, as a producer of capsules."""

    library = None

    def __init__(self, pointer):
        self.pointer = pointer

    @classmethod
    def call(cls, name, *args):
        error = ctypes.create_string_buffer(1000)
        function = getattr(cls.library, name)
        function.restype = ctypes.c_void_p
        result = function(*args, error, ctypes.c_size_t(len(error)))
        if not result:
            raise ValueError(error.value.decode())
        return result

    @classmethod
    def take(cls, capsule):
        versioned = api.PyCapsule_GetName(capsule) == NAMES[True][0]
        pointer = api.PyCapsule_GetPointer(capsule, NAMES[versioned][0])
        api.PyCapsule_SetName(capsule, NAMES[versioned][1])  # Swage deletes it, on errors too
        return cls(cls.call("Import", ctypes.c_void_p(pointer), int(versioned)))

    def twice(self):
        return Swage(self.call("Twice", ctypes.c_void_p(self.pointer)))

    def data(self):
        self.library.Data.restype = ctypes.c_void_p
        return self.library.Data(ctypes.c_void_p(self.pointer))

    def __del__(self):
        self.library.Free(ctypes.c_void_p(self.pointer))

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        versioned = max_version is not None and max_version[0] >= 1
        managed = self.call("Export", ctypes.c_void_p(self.pointer), int(versioned), int(bool(copy)))
        return api.PyCapsule_New(managed, NAMES[versioned][0], None)


def capsules(array):
    """The capsules that this version of the library makes of `array`."""
    made = [array.__dlpack__()]
    try:
        made.append(array.__dlpack__(max_version=(1, 1)))
    except TypeError:  # from before version 1
        pass
    return made


class NumpyTest(unittest.TestCase):
    def setUp(self):
        import numpy

        self.np = numpy

    def test_arrays_are_shared_both_ways(self):
        np = self.np
        for dtype in "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split():
            x = np.arange(6, dtype=dtype).reshape(2, 3)
            for capsule in capsules(x):
                taken = Swage.take(capsule)
                self.assertEqual(taken.data(), x.ctypes.data, dtype)
                back = np.from_dlpack(taken)
                self.assertEqual(back.ctypes.data, x.ctypes.data, dtype)
                result = np.from_dlpack(taken.twice())
                self.assertEqual(result.dtype, x.dtype)
                np.testing.assert_array_equal(result, x + x)
                self.assertFalse(result.flags.writeable)

    def test_other_strides_are_copied(self):
        np = self.np
        x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        views = [x.T, x[:, ::2], x[::-1], x[:, :, 1], np.broadcast_to(x[0, 0], (5, 4)), np.asfortranarray(x)]
        for view in views:
            view = view.view()
            try:
                made = capsules(view)
            except (BufferError, TypeError):  # what may not be written was not given out once
                made = []
            for capsule in made:
                taken = Swage.take(capsule)
                np.testing.assert_array_equal(np.from_dlpack(taken), view)

    def test_rank_zero_and_no_elements(self):
        np = self.np
        for x in [np.array(7, np.int32), np.zeros((2, 0, 3), np.float64), np.zeros((1, 1), np.uint8)]:
            for capsule in capsules(x):
                result = np.from_dlpack(Swage.take(capsule).twice())
                self.assertEqual(result.shape, x.shape)
                np.testing.assert_array_equal(result, x + x)

    def test_memory_lives_as_long_as_its_last_user(self):
        np = self.np
        x = np.arange(1000, dtype=np.float32)
        before = sys.getrefcount(x)
        taken = [Swage.take(capsule) for capsule in capsules(x)]
        self.assertEqual(sys.getrefcount(x), before + len(taken))
        del taken
        gc.collect()
        self.assertEqual(sys.getrefcount(x), before)
        view = np.from_dlpack(Swage.take(capsules(x)[0]).twice())
        gc.collect()
        np.testing.assert_array_equal(view, x + x)

    def test_errors_give_the_memory_back(self):
        x = self.np.zeros(3, self.np.complex64)
        before = sys.getrefcount(x)
        for capsule in capsules(x):
            with self.assertRaisesRegex(ValueError, "complex numbers, which Swage does not have"):
                Swage.take(capsule)
        del capsule
        gc.collect()
        self.assertEqual(sys.getrefcount(x), before)


class TorchTest(unittest.TestCase):
    def setUp(self):
        import torch

        self.torch = torch

    def test_tensors_are_shared_both_ways(self):
        torch = self.torch
        names = "int8 int16 int32 int64 uint8 float16 float32 float64 bfloat16"
        for dtype in [getattr(torch, name) for name in names.split()]:
            x = torch.arange(6).reshape(2, 3).to(dtype)
            for capsule in capsules(x):
                taken = Swage.take(capsule)
                self.assertEqual(taken.data(), x.data_ptr(), dtype)
                self.assertEqual(torch.from_dlpack(taken).data_ptr(), x.data_ptr())
                result = torch.from_dlpack(taken.twice())
                self.assertEqual(result.dtype, dtype)
                self.assertTrue(torch.equal(result, x + x), dtype)

    def test_small_floats_and_bool(self):
        torch = self.torch
        for name in ["bool", "float8_e4m3fn", "float8_e5m2"]:
            x = torch.tensor([0.0, 1.0, 1.0]).to(getattr(torch, name))
            try:
                made = capsules(x)
            except (BufferError, RuntimeError, ValueError):  # older versions keep float8 to themselves
                continue
            for capsule in made:
                back = torch.from_dlpack(Swage.take(capsule))
                self.assertEqual(back.dtype, x.dtype)
                self.assertTrue(torch.equal(back.float(), x.float()), name)

    def test_views_are_copied_or_followed(self):
        torch = self.torch
        x = torch.arange(24.0).reshape(2, 3, 4)
        for view in [x.permute(2, 1, 0), x[:, ::2], x[1:], x[:, :, 1], x[0, 0].expand(5, 4), x[1, 2, 3], x[:, :0]]:
            for capsule in capsules(view):
                result = torch.from_dlpack(Swage.take(capsule).twice())
                self.assertEqual(result.shape, view.shape)
                self.assertTrue(torch.equal(result, view + view))

    def test_a_copy_may_be_written(self):
        torch = self.torch
        x = torch.ones(4)
        taken = Swage.take(capsules(x)[0])
        own = torch.from_dlpack(taken.__dlpack__(copy=True))
        own += 1
        self.assertTrue(torch.equal(x, torch.ones(4)))
        self.assertTrue(torch.equal(own, torch.full((4,), 2.0)))

    def test_complex_is_refused(self):
        for capsule in capsules(self.torch.zeros(2, dtype=self.torch.complex64)):
            with self.assertRaisesRegex(ValueError, "complex numbers, which Swage does not have"):
                Swage.take(capsule)


def interpreter_with(library):
    peers = [path for path in os.environ.get("PEER_PYTHON", "").split(":") if path]
    for python in peers + [sys.executable, "/usr/bin/python3"]:
        try:
            if subprocess.run([python, "-c", f"import {library}"], capture_output=True).returncode == 0:
                return python
        except OSError:
            pass
    return None


def main():
    library, module, *found = sys.argv[1:]
    if not found:
        python = interpreter_with(library)
        if python is None:
            print(f"skipped: no Python at hand has {library}; PEER_PYTHON may name one that does")
            return SKIPPED
        return subprocess.run([python, __file__, library, module, "found"]).returncode
    Swage.library = ctypes.CDLL(module)
    case = {"numpy": NumpyTest, "torch": TorchTest}[library]
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    version = __import__(library).__version__
    print(f"{library} {version}")
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
