"""Python objects as laws, substructures, signals, controllers, compensators and rigs."""

import gc
import math
import os
import re
import shutil
import subprocess
import sys
import traceback
import unittest
import weakref

import numpy as np
import support
import yoke


class Spring:
    def __init__(self, k=800.0):
        self.k = k

    def force(self, d, w, old, new):
        return self.k * d

    def tangent(self, d, w, old):
        return self.k, 0.0

    def stored(self, d):
        return 0.5 * self.k * d * d


class Cubic:
    """The law `cubic-spring` of the library, operation by operation."""

    def force(self, d, w, old, new):
        return (800.0 + 3e5 * d * d) * d

    def tangent(self, d, w, old):
        return 800.0 + 3 * 3e5 * d * d, 0.0

    def stored(self, d):
        return (0.5 * 800.0 + 0.25 * 3e5 * d * d) * d * d


class Bilinear:
    """An elastic-plastic law: memory of the extension and of the plastic part."""

    memory = 2
    k, fy = 800.0, 10.0

    def force(self, d, w, old, new):
        trial = self.k * (d - old[1])
        f = min(max(trial, -self.fy), self.fy)
        new[0], new[1] = d, d - f / self.k
        return f

    def rest(self, d, new):
        new[:] = d, 0.0


class Maxwell:
    """The law `maxwell` with exponent 1: it needs the time since the last accepted state."""

    memory = 2
    K, C = 2000.0, 30.0

    def force(self, d, w, old, new, h):
        x = h * self.K / self.C
        gone = -math.expm1(-x)
        new[0], new[1] = d, old[1] * (1 - gone) + self.K * (d - old[0]) * (gone / x if h > 0 else 1)
        return new[1]

    def tangent(self, d, w, old, h):
        x = h * self.K / self.C
        return self.K * (-math.expm1(-x) / x if h > 0 else 1), 0.0


class Oscillator:
    """M a = f - K u - C v of one or more degrees of freedom."""

    def __init__(self, mass=(2.0,), stiffness=((800.0,),), damping=((1.5,),)):
        self.dofs = [f"x{i}" for i in range(len(mass))]
        self.mass = mass
        self.K, self.C = np.array(stiffness), np.array(damping)
        self.initial_velocity = [1.0] * len(mass)

    def force(self, t, u, v):
        return self.K @ u + self.C @ v

    def tangent(self, t, u, v):
        return self.K, self.C


class Recorder(Oscillator):
    """With a memory of its own that it can give back."""

    def __init__(self):
        super().__init__()
        self.commits = []

    def commit(self, t, u, v):
        self.commits.append(float(u[0]))

    def save(self):
        return list(self.commits)

    def restore(self, saved):
        self.commits = list(saved)


class Sine:
    def value(self, t):
        return 500.0 * math.sin(2 * math.pi * 1.3 * t)


class Through:
    def reset(self, x, tick):
        pass

    def command(self, t, command, measured):
        return command


class Velocity:
    """The compensator `velocity` of order 2, operation by operation: docs/theory/delay.md, eq. (8)."""

    def reset(self, x, step, stages):
        self.x0, self.v0, self.D = x, 0.0, step / stages

    def command(self, t, x, v, a, delay):
        eta = delay / self.D
        eta2 = eta * eta
        x0, v0, self.x0, self.v0 = self.x0, self.v0, x, v
        return (1 - eta2) * x + eta2 * x0 + self.D * (eta + eta2) * v + self.D * 0 * v0


class Integrating:
    """A PI controller: what it remembers belongs to one run."""

    def __init__(self):
        self.sum = None

    def reset(self, x, tick):
        self.sum, self.tick = 0.0, tick

    def command(self, t, command, measured):
        self.sum += 2.0 * self.tick * (command - measured)
        return command + self.sum


class Bench:
    stiffness = 35530.0

    def rest(self, x):
        return self.exchange(x)

    def exchange(self, command):
        return np.stack([command, self.stiffness * command, 0 * command], axis=1)


def oscillator(value, method="lsrt2", **more):
    return {"time": {"step": "1 ms", "end": "0.5 s"}, "method": {"integrator": method}, "substructures": {"a": value}, **more}


class Laws(unittest.TestCase):
    def test_a_law_equals_the_built_in_one_to_the_last_bit(self):
        for method in ("lsrt2", "central-difference", "rk4", "newmark-newton"):
            with self.subTest(method=method):
                own = yoke.load(support.with_element({"kind": Cubic()}, method)).run()
                built_in = yoke.load(support.with_element({"kind": "cubic-spring", "stiffness": 800.0, "cubic": 3e5},
                                                          method)).run()
                self.assertEqual(support.rows(own), support.rows(built_in))

    def test_a_spring_follows_the_formula(self):
        rec = yoke.load(support.with_element({"kind": Spring()})).run()
        exact = 0.05 * np.sin(20 * rec.time)
        self.assertLess(np.abs(rec["rig.mass.x.u"] - exact).max(), 2e-5)

    def test_memory_is_kept_by_the_library(self):
        exp = yoke.load(support.with_element({"kind": Bilinear()}))
        rec = exp.run()
        # the mass comes to rest after k, fy have taken its energy: half of the elastic part remains
        self.assertGreater(rec["energy.dissipated"][-1], 0)
        self.assertEqual(support.rows(rec), support.rows(exp.run()))
        with exp.start() as run:
            run.advance(steps=300)
            state = run.save()
            run.advance(steps=300)
            want = run.row.tobytes()
            run.restore(state)
            run.advance(steps=300)
            self.assertEqual(run.row.tobytes(), want)

    def test_a_law_with_a_parameter_h_knows_the_time(self):
        own = yoke.load(support.with_element({"kind": Maxwell()})).run()
        built_in = yoke.load(support.with_element({"kind": "maxwell", "stiffness": 2000.0, "damping": 30.0})).run()
        largest = np.abs(built_in["rig.mass.x.u"]).max()
        self.assertLess(np.abs(own["rig.mass.x.u"] - built_in["rig.mass.x.u"]).max(), 1e-12 * largest)
        yoke.protocols.check_law(Maxwell())

    def test_a_law_that_remembers_elsewhere_is_found(self):
        class Forgetful(Spring):
            calls = 0

            def force(self, d, w, old, new):
                self.calls += 1
                return self.k * d + self.calls

        yoke.protocols.check_law(Spring())
        yoke.protocols.check_law(Bilinear())
        with self.assertRaisesRegex(yoke.CheckFailed, "depends on what was evaluated before"):
            yoke.protocols.check_law(Forgetful())

    def test_analyses_call_python_laws(self):
        exp = yoke.load(support.with_element({"kind": Spring()}))
        built_in = yoke.load(support.OSCILLATOR)
        self.assertAlmostEqual(exp.check().radius, built_in.check().radius, 9)
        self.assertAlmostEqual(yoke.analyze.spectrum(exp).radius[0], yoke.analyze.spectrum(built_in).radius[0], 9)
        self.assertAlmostEqual(yoke.analyze.order(exp, halvings=2).order_u, 2.0, 1)


class PowerSpring:
    """The law of docs/plugins.md, operation by operation."""

    def force(self, d, w, old, new):
        return 800.0 * d * (abs(d) / 0.1) ** (3.0 - 1)

    def tangent(self, d, w, old):
        return 3.0 * 800.0 * (abs(d) / 0.1) ** (3.0 - 1), 0.0

    def stored(self, d):
        return 800.0 * d * d * (abs(d) / 0.1) ** (3.0 - 1) / (3.0 + 1)


class Plugins(support.InFolder):
    @unittest.skipUnless(shutil.which("cc"), "there is no compiler")
    def test_a_plugin_in_c_and_a_law_in_python_give_the_same_bits(self):
        with open(os.path.join(support.SOURCE, "docs", "plugins.md"), encoding="utf-8") as page:
            text = page.read()
        for name in ("power_spring.c", "power.yaml"):
            found = re.search(rf"<!-- file: {re.escape(name)} -->\n```\w+\n(.*?)^```", text, re.S | re.M)
            with open(name, "w", encoding="utf-8") as out:
                out.write(found.group(1))
        subprocess.run(["cc", "-std=c11", "-O2", "-shared", "-fPIC", "-I", os.path.join(support.SOURCE, "include"),
                        "power_spring.c", "-o", "power_spring.so"], check=True)
        plugin = yoke.load("power.yaml")  # the library, which Python loaded for itself alone, is found by the plugin
        mine = plugin.replace({"substructures.rig.elements.0": PowerSpring()})
        want = support.streams(plugin.run())
        self.assertEqual(support.streams(mine.run()), want)
        support.program("run", "power.yaml", "-o", "out", "-q", "--no-report")
        self.assertEqual(support.streams(yoke.open("out")), want)


class Substructures(unittest.TestCase):
    def test_it_equals_the_built_in_one(self):
        own = yoke.load(oscillator(Oscillator())).run()
        linear = yoke.load(oscillator({"kind": "linear", "dofs": ["x0"], "mass": [2.0], "stiffness": [[800.0]],
                                       "damping": [[1.5]], "initial": {"velocity": {"x0": 1.0}}})).run()
        self.assertLess(np.abs(own["a.x0.u"] - linear["a.x0.u"]).max(), 1e-15)

    def test_tangents_by_differences(self):
        class Without(Oscillator):
            tangent = None

        with_, without = (yoke.load(oscillator(kind())) for kind in (Oscillator, Without))
        for a, b in zip(with_.matrices("a"), without.matrices("a")):
            np.testing.assert_allclose(a, b, rtol=1e-6)
        self.assertLess(np.abs(with_.run()["a.x0.u"] - without.run()["a.x0.u"]).max(), 1e-9)

    def test_several_degrees_of_freedom_with_a_full_mass(self):
        own = Oscillator(((2.0, 0.1), (0.1, 1.0)), ((800.0, -300.0), (-300.0, 400.0)), ((1.0, 0.0), (0.0, 1.0)))
        rec = yoke.load(oscillator(own)).run()
        self.assertEqual(rec.names[1:3], ("a.x0.u", "a.x0.v"))
        M, C, K = yoke.load(oscillator(own)).matrices("a")
        np.testing.assert_array_equal(M, [[2.0, 0.1], [0.1, 1.0]])

    def test_every_run_has_its_own_object(self):
        proto = Recorder()
        exp = yoke.load(oscillator(proto))
        for _ in range(2):
            exp.run()
        self.assertEqual(proto.commits, [], "the object that was given stays as it is")

    def test_shared_and_forked_objects(self):
        class Shared(Recorder):
            shared = True

        class Forked(Recorder):
            made = 0

            def fork(self):
                Forked.made += 1
                return Forked()

        shared = Shared()
        yoke.load(oscillator(shared)).run()
        self.assertGreaterEqual(len(shared.commits), 500)
        yoke.load(oscillator(Forked())).run()
        self.assertGreater(Forked.made, 0)

    def test_a_memory_is_saved_and_restored_with_the_run(self):
        exp = yoke.load(oscillator(Recorder()))
        run = exp.start()
        run.advance(steps=50)
        state = run.save()
        run.advance(steps=50)
        mine = next(iter(run._context.slots.values())).object
        self.assertGreaterEqual(len(mine.commits), 100)
        run.restore(state)
        self.assertLess(len(next(iter(run._context.slots.values())).object.commits), 60)
        branch = run.copy()
        branch.advance(steps=10)
        self.assertNotEqual(len(next(iter(branch._context.slots.values())).object.commits),
                            len(next(iter(run._context.slots.values())).object.commits))

    def test_a_memory_that_cannot_go_back_is_refused(self):
        class Stubborn(Recorder):
            save = restore = None

        def split(kind):
            return {"time": {"step": "1 ms", "end": "0.1 s", "substeps": 2}, "method": {"coupling": "ph"},
                    "substructures": {"a": {"kind": "linear", "dofs": ["x"], "mass": [2.0], "stiffness": [[800.0]]},
                                      "b": {"kind": kind, "rate": "fine", "initial": {}}},
                    "interfaces": [{"join": ["a.x", "b.x0"]}]}

        class Resting(Recorder):
            initial_velocity = None

            def __init__(self):
                super().__init__()
                self.initial_velocity = None

        class StubbornResting(Resting):
            save = restore = None

        with self.assertRaisesRegex(yoke.UnsupportedError, "cannot go back"):
            yoke.load(split(StubbornResting()))
        self.assertTrue(yoke.load(split(Resting())).run().finished)


class Transfer(unittest.TestCase):
    def test_a_controller_that_does_nothing_equals_none(self):
        exp = yoke.load(support.SPECIMEN, set={"time.end": "2 s"})
        mine = exp.replace({"transfer.a1.controller": Through()}).run()
        none = exp.replace({"transfer.a1.controller": {"kind": "none"}}).run()
        self.assertEqual(support.streams(mine), support.streams(none))

    def test_a_compensator_equals_the_built_in_one_to_the_last_bit(self):
        exp = yoke.load(support.SPECIMEN, set={"time.end": "2 s"})
        mine = exp.replace({"transfer.a1.compensator": Velocity()}).run()
        built_in = exp.replace({"transfer.a1.compensator": {"kind": "velocity", "order": 2, "delay": "21 ms"}}).run()
        self.assertEqual(support.streams(mine), support.streams(built_in))

    def test_a_signal_equals_the_built_in_one_to_the_last_bit(self):
        exp = yoke.load(support.SPECIMEN, set={"time.end": "2 s"})
        self.assertEqual(support.streams(exp.replace({"loads.0": Sine()}).run()), support.streams(exp.run()))

    def test_a_controller_has_a_state_for_each_run(self):
        exp = yoke.load(support.SPECIMEN, set={"time.end": "1 s"}).replace({"transfer.a1.controller": Integrating()})
        one = support.rows(exp.run())
        self.assertEqual([support.rows(rec) for rec in yoke.run_many([exp] * 4, threads=4)], [one] * 4)
        run = exp.start()
        run.advance(steps=40)
        state = run.save()
        branch = run.copy()
        run.advance(steps=40)
        want = run.row.tobytes()
        run.restore(state)
        run.advance(steps=40)
        branch.advance(steps=40)
        self.assertEqual((run.row.tobytes(), branch.row.tobytes()), (want, want))

    def test_a_rig(self):
        exp = yoke.load(support.SPECIMEN, set={"time.end": "2 s"}).replace({"rig": Bench(), "transfer.a1": {}})
        rec = exp.run()
        np.testing.assert_allclose(rec["a1.force"], Bench.stiffness * rec["a1.displacement"], rtol=1e-12, atol=1e-9)
        self.assertTrue(exp.check().stable)

        class Silent(Bench):
            def rest(self, x):
                return Bench.exchange(self, x)

            def exchange(self, command):
                return None

        with self.assertRaisesRegex(yoke.Stopped, "silence of the rig"):
            exp.replace({"rig": Silent()}).run()

    def test_python_in_real_time_is_refused(self):
        exp = yoke.load(support.SPECIMEN).replace({"transfer.a1.controller": Through()})
        with self.assertRaisesRegex(yoke.UnsupportedError, "real time"):
            exp.run(realtime=True)


class Broken(unittest.TestCase):
    """Exceptions and nonsense in every callback."""

    def assert_comes_out(self, exp, key):
        for way in (lambda: exp.run(), lambda: exp.start().advance(), lambda: list(exp.start())):
            try:  # assertRaises would drop the traceback
                way()
            except ZeroDivisionError as exception:
                caught = exception
            self.assertIn("unlucky", str(caught))
            self.assertIn(key, "".join(caught.__notes__))
            self.assertIn("fail_later", [frame.name for frame in traceback.extract_tb(caught.__traceback__)])
            self.assertIn("<lambda>", [frame.name for frame in traceback.extract_tb(caught.__traceback__)])

    def make(self, base, method, after=20):
        class Unlucky(base):
            calls = 0

        def fail_later(self, *arguments):
            self.calls += 1
            if self.calls > after:
                raise ZeroDivisionError("unlucky")
            return getattr(base, method)(self, *arguments)

        setattr(Unlucky, method, fail_later)
        return Unlucky()

    def test_exceptions_come_out_with_their_traceback(self):
        specimen = yoke.load(support.SPECIMEN, set={"time.end": "0.5 s"})
        cases = {
            "substructures.rig.elements.0": yoke.load(support.with_element({"kind": self.make(Spring, "force")})),
            "substructures.a": yoke.load(oscillator(self.make(Oscillator, "force"))),
            "transfer.a1.controller": specimen.replace({"transfer.a1.controller": self.make(Through, "command")}),
            "transfer.a1.compensator": specimen.replace({"transfer.a1.compensator": self.make(Velocity, "command", 5)}),
            "loads.0": specimen.replace({"loads.0": self.make(Sine, "value", 500)}),
            "rig": specimen.replace({"rig": self.make(Bench, "exchange"), "transfer.a1": {}}),
        }
        for key, exp in cases.items():
            with self.subTest(block=key):
                if key in ("loads.0", "substructures.rig.elements.0"):  # one object serves all: its count goes on
                    exp._blocks[0].value.calls = 0
                    with self.assertRaises(ZeroDivisionError) as caught:
                        exp.run()
                    self.assertIn(key, "".join(getattr(caught.exception, "__notes__", [])))
                else:
                    self.assert_comes_out(exp, key)

    def test_an_exception_at_the_start_comes_out_of_load(self):
        with self.assertRaises(ZeroDivisionError):
            yoke.load(oscillator(self.make(Oscillator, "force", 0))).run()

        class Bad(Oscillator):
            def tangent(self, t, u, v):
                raise KeyError("no tangent")

        with self.assertRaises(KeyError):
            yoke.load(oscillator(Bad()))

    def test_the_run_keeps_what_was_recorded(self):
        exp = yoke.load(oscillator(self.make(Oscillator, "force", 200)))
        with self.assertRaises(ZeroDivisionError) as caught:
            exp.run()
        self.assertGreater(len(caught.exception.recording.time), 10)

    def test_results_that_are_not_finite(self):
        for bad in (math.nan, math.inf):
            class Wild(Spring):
                def force(self, d, w, old, new):
                    return bad if abs(d) > 0.01 else self.k * d

            with self.assertRaisesRegex(yoke.Diverged, "substructures.rig.elements.0"):
                yoke.load(support.with_element({"kind": Wild()})).run()

    def test_results_of_the_wrong_kind(self):
        class Text(Spring):
            def force(self, d, w, old, new):
                return "strong"

        with self.assertRaises(ValueError):
            yoke.load(support.with_element({"kind": Text()})).run()

        class Long(Oscillator):
            def force(self, t, u, v):
                return [1.0, 2.0, 3.0]

        with self.assertRaisesRegex(yoke.InputError, "shape"):
            yoke.load(oscillator(Long())).run()

        class Flat(Bench):
            def exchange(self, command):
                return command

        with self.assertRaisesRegex(yoke.InputError, "shape"):
            yoke.load(support.SPECIMEN).replace({"rig": Flat()}).run()

    def test_objects_in_the_wrong_place(self):
        exp = yoke.load(support.SPECIMEN)
        with self.assertRaisesRegex(yoke.InputError, "has no 'reset'"):
            exp.replace({"transfer.a1.controller": Spring()})
        with self.assertRaisesRegex(yoke.UnsupportedError, "no Python object can stand here"):
            exp.replace({"time.step": Spring()})
        with self.assertRaisesRegex(yoke.InputError, "mass has the shape"):
            yoke.load(oscillator(Oscillator((1.0, 2.0, 3.0), np.eye(3), np.eye(3)).__class__(mass=((1.0, 2.0),))))

    def test_views_cannot_be_written(self):
        class Writing(Oscillator):
            def force(self, t, u, v):
                u[0] = 1.0
                return super().force(t, u, v)

        with self.assertRaisesRegex(ValueError, "read-only"):
            yoke.load(oscillator(Writing())).run()

    def test_objects_are_released(self):
        class Kept(Spring):
            pass

        law = Kept()
        alive = weakref.ref(law)
        exp = yoke.load(support.with_element({"kind": law}))
        rec = exp.run()
        run = exp.start()
        run.advance(steps=10)
        row = run.row
        del law, exp, run
        gc.collect()
        self.assertIsNotNone(alive(), "a view keeps the run alive")
        self.assertEqual(row[0], 0.01)
        del row
        gc.collect()
        self.assertIsNone(alive())
        self.assertTrue(rec.finished)

    def test_reference_counts_return_to_where_they_were(self):
        law, part, control = Spring(), Oscillator(), Through()
        law.shared = part.shared = control.shared = True
        counts = [sys.getrefcount(x) for x in (law, part, control)]
        for _ in range(3):
            yoke.load(support.with_element({"kind": law})).run()
            yoke.load(oscillator(part)).check()
            yoke.load(support.SPECIMEN, set={"time.end": "0.2 s"}).replace({"transfer.a1.controller": control}).run()
        gc.collect()
        self.assertEqual([sys.getrefcount(x) for x in (law, part, control)], counts)


if __name__ == "__main__":
    unittest.main()
