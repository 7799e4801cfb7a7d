"""The page docs/python.md: its examples run as they stand, its reference is that of the module, hints and docstrings are complete."""

import importlib.machinery
import importlib.util
import inspect
import os
import shutil
import subprocess
import sys
import unittest

import examples
import support
import yoke

PAGE = os.path.join(support.SOURCE, "docs", "python.md")
# examples that need a package beside numpy
NEEDS = {"import matplotlib": "matplotlib", "to_pandas": "pandas"}


def is_there(package):
    return importlib.util.find_spec(package) is not None


class Page(support.InFolder):
    def test_the_examples_run_as_they_stand(self):
        with open(PAGE, encoding="utf-8") as page:
            blocks = examples.blocks(page.read())
        self.assertGreaterEqual(len(blocks), 10)
        for heading, code in blocks:
            missing = [package for words, package in NEEDS.items() if words in code and not is_there(package)]
            with self.subTest(example=heading):
                if missing:
                    self.skipTest(f"needs {missing[0]}")
                self.assertEqual(examples.run(code, heading), [])

    def test_a_wrong_comment_is_noticed(self):
        self.assertEqual(examples.run("print(1 + 1)  # 2\n", "right"), [])
        self.assertEqual(examples.run("print(1 + 1)  # 2, as always\n", "with words"), [])
        self.assertEqual(len(examples.run("print(1 + 1)  # 3\n", "wrong")), 1)

    def test_the_notebooks_run(self):
        folder = support.example("python")
        found = sorted(name for name in os.listdir(folder) if name.endswith(".py"))
        self.assertTrue(found)
        for name in found:
            with self.subTest(notebook=name):
                shutil.copytree(support.EXAMPLES, "examples", dirs_exist_ok=True)
                out = subprocess.run([sys.executable, name], cwd=os.path.join("examples", "python"), capture_output=True,
                                     text=True, env={**os.environ, "MPLBACKEND": "Agg"}, check=False)
                self.assertEqual((out.returncode, out.stderr), (0, ""))

    def test_the_reference_is_that_of_the_module(self):
        tool = os.path.join(support.SOURCE, "tools", "python-reference")
        loader = importlib.machinery.SourceFileLoader("python_reference", tool)
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("python_reference", loader))
        sys.dont_write_bytecode = True
        loader.exec_module(module)
        with open(PAGE, encoding="utf-8") as page:
            text = page.read()
        self.assertEqual(module.inserted(text), text, "make it with tools/python-reference --write docs/python.md")

    def test_every_public_name_has_a_docstring_and_is_exported(self):
        for name in yoke.__all__:
            self.assertTrue(hasattr(yoke, name), name)
        self.assertNotIn("open", yoke.__all__)
        self.assertNotIn("list", yoke.__all__)
        for module in (yoke, yoke.analyze, yoke.plot, yoke.protocols):
            for name, value in vars(module).items():
                if name.startswith("_") or not (inspect.isclass(value) or inspect.isfunction(value)):
                    continue
                if not getattr(value, "__module__", "").startswith("yoke"):
                    continue
                self.assertTrue(inspect.getdoc(value), f"{module.__name__}.{name}")
                for member, code in vars(value).items() if inspect.isclass(value) else ():
                    if inspect.isfunction(code) and not member.startswith("_"):
                        self.assertTrue(inspect.getdoc(code), f"{name}.{member}")

    @unittest.skipUnless(shutil.which("mypy"), "mypy is not installed")
    def test_type_hints_are_complete(self):
        package = os.path.dirname(os.path.abspath(yoke.__file__))
        notebooks = [os.path.join(support.example("python"), name) for name in os.listdir(support.example("python"))
                     if name.endswith(".py")]
        out = subprocess.run(["mypy", "--strict", "--no-incremental", "--python-executable", sys.executable,
                              "--cache-dir", os.path.join(self.folder, "mypy"), package, *notebooks],
                             capture_output=True, text=True, env={**os.environ, "MYPYPATH": os.path.dirname(package)},
                             cwd=self.folder, check=False)
        self.assertEqual(out.returncode, 0, out.stdout + out.stderr)

    def test_nothing_is_printed_and_little_is_done_at_import(self):
        code = ("import time, sys, numpy; t = time.process_time(); import yoke; took = time.process_time() - t\n"
                "assert 'matplotlib' not in sys.modules and 'pandas' not in sys.modules\nsys.stderr.write(str(took))")
        best = 9.0
        for _ in range(5):
            out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            self.assertEqual(out.stdout, "")
            best = min(best, float(out.stderr))
        print(f"import beside numpy: {1e3 * best:.0f} ms of CPU time", file=sys.stderr)
        self.assertLess(best, 0.5 if "YOKE_SLOW" not in os.environ else 5)


if __name__ == "__main__":
    unittest.main()
