"""Values, names, errors and nonsense; threads, processes and memory."""

import copy
import gc
import json
import math
import os
import pickle
import resource
import signal
import statistics
import sys
import threading
import time
import unittest
import unittest.mock

import numpy as np
import support
import yoke


class Values(support.InFolder):
    def test_quantities(self):
        self.assertEqual(yoke.si("5 ms"), 0.005)
        self.assertEqual(yoke.si("5 ms", "time"), 0.005)
        self.assertEqual(yoke.si("3 kN/m"), 3000.0)
        self.assertEqual(yoke.si(2), 2.0)
        with self.assertRaisesRegex(yoke.UnitError, "is a time, but a force"):
            yoke.si("5 ms", "force")
        with self.assertRaises(yoke.UnitError):
            yoke.si("5 parsnips")
        with self.assertRaises(yoke.InputError):
            yoke.si("")
        with self.assertRaisesRegex(yoke.InputError, "no dimension"):
            yoke.si("5 ms", "colour")

    def test_a_new_test_is_loaded_and_runs(self):
        exp = yoke.new("brace", storeys=2, mass=["24 t", "18 t"], period="0.6 s", specimen="brace", record="hills.AT2")
        self.assertEqual(exp.title, "2 storeys with a brace that yields in the laboratory")
        self.assertIn(exp.run().summary["verdict"]["level"], ("good", "doubtful"))
        with self.assertRaisesRegex(yoke.InputError, "exists already"):
            yoke.new("brace")
        with self.assertRaisesRegex(yoke.InputError, "one of spring, brace"):
            yoke.new("other", specimen="sprig")
        self.assertEqual(yoke.new("copy", example="oscillator").title, yoke.load(support.example("oscillator/oscillator.yaml")).title)

    def test_components_are_those_of_the_program(self):
        listed = json.loads(support.program("list", "--json").stdout)
        found = yoke.list()
        self.assertEqual({family: [c["name"] for c in entries] for family, entries in listed.items()},
                         {family: list(members) for family, members in found.items()})
        lsrt2 = yoke.list("integrators")["lsrt2"]
        self.assertIn("gamma", [setting.name for setting in lsrt2.settings])
        with self.assertRaises(yoke.InputError):
            yoke.list("potatoes")

    def test_what_an_experiment_says(self):
        exp = yoke.load("specimen.yaml")
        self.assertEqual((exp.substructures, exp.actuators, exp.method), (("frame", "specimen"), ("a1",), "lsrt2"))
        self.assertEqual(exp.dofs, {"frame": ("x",), "specimen": ("x",)})
        self.assertEqual(exp.channels[0], ("time", "s"))
        self.assertEqual(exp.fine_channels, ())
        self.assertIn("a1.force", [c.name for c in exp.tick_channels])
        self.assertEqual((exp.path, exp.end, exp.steps), ("specimen.yaml", 20.0, 2000))
        self.assertEqual(yoke.loads(exp.text).path, None)
        self.assertEqual(copy.copy(exp).title, exp.title)
        self.assertEqual(yoke.__version__, support.program("--version").stdout.split()[1])

    def test_analyses_equal_those_of_the_program(self):
        split = support.example("split-mass/split-mass.yaml")
        for file, words, function in (
                ("frame.yaml", ("spectrum", "--steps", "0.005,0.1"), lambda e: yoke.analyze.spectrum(e, [0.005, 0.1])),
                ("frame.yaml", ("order", "--halvings", "3"), lambda e: yoke.analyze.order(e, 3)),
                (split, ("order",), yoke.analyze.order), ("frame.yaml", ("energy",), yoke.analyze.energy),
                (split, ("drift", "--samples", "5"), lambda e: yoke.analyze.drift(e, 5)),
                ("specimen.yaml", ("frf", "--frequencies", "1,5"), lambda e: yoke.analyze.frf(e, frequencies=[1, 5])),
                ("specimen.yaml", ("margin",), yoke.analyze.margin)):
            with self.subTest(analysis=words[0]):
                printed = support.program("analyze", words[0], file, *words[1:], "--json")
                self.assertEqual(json.loads(printed.stdout), function(yoke.load(file)).to_dict())
        printed = json.loads(support.program("analyze", "delay", "specimen.yaml", "--json").stdout)["actuators"]["a1"]
        exp = yoke.load("specimen.yaml")
        self.assertEqual(printed, yoke.analyze.delay(exp).to_dict())
        self.assertAlmostEqual(yoke.analyze.delay(exp.run(), "a1").target.delay, printed["target_delay_s"], 6)

    def test_a_loop_has_ports_for_its_factors(self):
        loop = yoke.analyze.loop(yoke.load("specimen.yaml"), ["rig.specimen.stiffness=[[42636]]", "time.end=10"])
        self.assertTrue(loop.told)
        self.assertEqual(loop.acts, (True, False))
        states, ports = loop.B.shape
        self.assertEqual((loop.A.shape, loop.C.shape, loop.D.shape), ((states, states), (ports, states), (ports, ports)))
        self.assertEqual(set(loop.parameter), {0})
        # without a deviation the slowest root decays as the loop does
        slowest = max(abs(np.linalg.eigvals(loop.A)))
        self.assertAlmostEqual(-np.log(slowest) / loop.cycle, loop.decay, 4)

    def test_a_check_equals_that_of_the_program(self):
        for file in ("frame.yaml", "specimen.yaml"):
            printed = json.loads(support.program("check", file, "--json").stdout)
            data = dict(yoke.load(file).check().data)
            for values in (printed, data):  # times of this machine
                for key in ("step_cost_s", "reference_s", "solving"):
                    values.pop(key)
                if values["hybrid_loop"]:
                    values["hybrid_loop"] = {k: v for k, v in values["hybrid_loop"].items() if k != "spent_s"}
            self.assertEqual(printed, data)
        bad = yoke.load("frame.yaml", set={"method": {"integrator": "central-difference"}, "time.step": "0.1 s"}).check()
        self.assertFalse(bad)
        self.assertTrue(bad.warnings)
        self.assertLess(bad.limit, 0.1)

    def test_what_a_reader_assumes_is_a_warning(self):
        with open("record.at2", "w", encoding="utf-8") as file:
            file.write("A RECORD\nNPTS= 3, DT= .02 SEC\n0 .1 -.2\n")
        quake = {"loads": [{"ground": "frame", "kind": "record", "file": "record.at2"}]}
        with self.assertWarnsRegex(yoke.Warning, "record.at2 names no unit; g is assumed") as caught:
            exp = yoke.load("frame.yaml", set=quake)
        self.assertEqual(caught.filename, __file__)
        self.assertEqual(len(exp.notes), 1)
        self.assertIn("names no unit", exp.check().warnings[0].text)
        quake["loads"][0]["unit"] = "g"
        self.assertEqual(yoke.load("frame.yaml", set=quake).notes, ())

    def test_modes(self):
        modes = yoke.analyze.modes(yoke.load("frame.yaml"))
        np.testing.assert_allclose(modes.frequency, yoke.load("frame.yaml").check().frequencies, rtol=1e-9)
        M, C, K = yoke.load("frame.yaml").matrices("frame")
        np.testing.assert_allclose(modes.shape.T @ M @ modes.shape, np.eye(2), atol=1e-12)
        # Rayleigh damping of 3 % at 2.9 and 7.6 Hz: zeta = alpha / (2 w) + beta w / 2
        w = 2 * math.pi * np.array([2.9, 7.6])
        alpha, beta = np.linalg.solve(np.stack([0.5 / w, 0.5 * w], axis=1), [0.03, 0.03])
        own = 2 * math.pi * modes.frequency
        np.testing.assert_allclose(modes.damping, 0.5 * alpha / own + 0.5 * beta * own, rtol=1e-6)

    def test_delay_between_arrays(self):
        t = np.arange(0, 5, 0.001)
        found = yoke.analyze.delay((np.sin(6 * t), 0.9 * np.sin(6 * (t - 0.013))), step=0.001)
        self.assertAlmostEqual(found.delay, 0.013, 5)
        self.assertAlmostEqual(found.gain, 0.9, 4)

    def test_an_actuator_of_arrays(self):
        h, T, tau, gain = 1e-3, 0.02, 0.005, 0.97
        t = np.arange(0, 24, h)
        u = 2e-3 * np.sin(2 * np.pi * (0.2 * t + 0.5 * t**2 / 2)) * np.clip(np.minimum(t - 1, 22 - t), 0, 1)
        y, x = np.zeros_like(u), 0.0
        late = np.interp(t - tau, t, u, left=0.0)
        for k in range(1, len(t)):  # the lag, with a command that is a straight line
            keep = math.exp(-h / T)
            slope = gain * (late[k] - late[k - 1])
            x = gain * late[k - 1] + keep * (x - gain * late[k - 1]) + (1 - T / h * (1 - keep)) * slope
            y[k] = x
        found = yoke.identify(u, y + 2e-5, h)
        self.assertEqual(found["model"]["poles"], 1)
        self.assertAlmostEqual(found["model"]["gain"], gain, 3)
        self.assertAlmostEqual(found["model"]["time_constant_s"], T, 4)
        self.assertAlmostEqual(found["model"]["dead_time_s"], tau, 4)
        with self.assertRaisesRegex(yoke.InputError, "leads the command"):
            yoke.identify(y, u, h)
        with self.assertRaisesRegex(yoke.InputError, "two arrays of one length"):
            yoke.identify(u, y[1:], h)

    def test_a_law_of_arrays(self):
        t = np.arange(0, 4, 0.002)
        x = 0.01 * np.sin(2 * np.pi * t) * np.clip(t, 0, 1)
        v = np.gradient(x, t)
        runs = [{"displacement": x, "force": 3e4 * x + c * v + 7, "step": 0.002, "over": over} for over, c in ((0, 500), (1, 1500))]
        found = yoke.calibrate("maxwell", {"stiffness": {"start": 1e5}, "damping": {"start": 1e3}}, runs[:1], starts=1)
        self.assertGreater(found["mean_nrms"], 0.01)  # another law
        damper = yoke.calibrate("damper", {"damping": {"at": [0, 1], "start": [300, 900]}},
                                [{**run, "force": run["force"] - 3e4 * run["displacement"]} for run in runs], starts=1)
        np.testing.assert_allclose(damper["values"]["damping"], [500, 1500], rtol=0.02)
        self.assertAlmostEqual(damper["runs"][0]["offset_N"], 7, 0)
        with self.assertRaisesRegex(yoke.InputError, "is not a law"):
            yoke.calibrate("dampr", {"damping": {"start": 1}}, runs)

    def test_a_pushed_force_acts_as_a_load(self):
        for file, dof in (("frame.yaml", "frame.floor2.x"), (support.example("split-mass/split-mass.yaml"), "A.x")):
            plain = yoke.load(file, set={"loads": []})
            loaded = plain.replace({"loads": [{"on": dof, "kind": "constant", "amplitude": 100.0}]})
            run = plain.start()
            run.force[dof] = 100.0
            run.advance()
            want, got = loaded.run(), run.recording()
            # the load is there from the first instant on, the push from the first step on
            self.assertLess(np.abs(got[dof + ".u"] - want[dof + ".u"]).max(), 0.02 * want.peak[dof + ".u"])
            self.assertLess(abs(got["energy.error"][-1]), 0.02 * got.peak["energy.work"])
            run.close()

    def test_views_are_live_and_stay_valid(self):
        run = yoke.load("frame.yaml").start()
        row, u = run.row, run.u["frame"]
        first = row.copy()
        run.advance(1.0)
        self.assertFalse((row == first).all())
        self.assertEqual(u[1], run["frame.floor2.x.u"])
        self.assertEqual(run.v["frame"][0], run["frame.floor1.x.v"])
        with self.assertRaises(ValueError):
            row[0] = 1.0
        kept = row.copy()
        run.close()
        del run
        gc.collect()
        np.testing.assert_array_equal(row, kept)

    def test_a_limit_ends_a_loop_and_raises_from_run(self):
        exp = yoke.load("specimen.yaml", set={"limits.force": "100 N"})
        with self.assertRaises(yoke.Stopped) as caught:
            exp.run()
        self.assertIn("a1", str(caught.exception))
        self.assertEqual(len(caught.exception.recording.time) - 1, caught.exception.step)
        self.assertFalse(caught.exception.recording.finished)
        self.assertIn("a1", caught.exception.recording.reason)
        run = exp.start()
        made = list(run)
        self.assertLess(len(made), exp.steps)
        self.assertEqual(run.state, "tripped")
        self.assertIn("a1", run.reason)

    def test_limits_may_change_during_a_run(self):
        run = yoke.load("specimen.yaml").start()
        run.advance(1.0)
        run.set("limits.force", "1 N")
        run.advance(1.0)
        self.assertEqual(run.state, "tripped")
        with self.assertRaisesRegex(yoke.UnsupportedError, "cannot change"):
            run.set("time.step", "1 ms")

    def test_requests(self):
        run = yoke.load("specimen.yaml").start()
        run.advance(1.0)
        run.request("pause")
        self.assertEqual((run.advance(1.0), run.state), (0, "paused"))
        run.request("resume")
        self.assertEqual(run.advance(1.0), 100)
        run.request("abort")
        self.assertLess(run.advance(1.0), 3)
        self.assertIn("stopped by request", run.reason)
        with self.assertRaises(yoke.InputError):
            run.request("dance")

    def test_divergence(self):
        exp = yoke.load("frame.yaml", set={"method": {"integrator": "central-difference", "stability": "warn"},
                                           "time.step": "0.1 s"})
        with self.assertRaises(yoke.Diverged) as caught:
            exp.run()
        self.assertGreater(caught.exception.step, 1)
        with self.assertRaisesRegex(yoke.RangeError, "beyond the stability limit"):
            exp.replace({"method.stability": "refuse"}).run()

    def test_a_paced_run_has_the_same_bits(self):
        exp = yoke.load("specimen.yaml", set={"time.end": "0.5 s", "limits.missed_deadlines": 0, "limits.stall": 0})
        paced = exp.run(realtime=True, output="paced")
        self.assertEqual(support.rows(paced), support.rows(exp.run()))

    def test_an_interrupt_ends_a_paced_run(self):
        exp = yoke.load("specimen.yaml", set={"limits.missed_deadlines": 0, "limits.stall": 0})
        with self.assertRaises(KeyboardInterrupt):
            exp.run(realtime=True, output="paced", progress=lambda step, steps: os.kill(os.getpid(), signal.SIGINT))
        self.assertFalse(yoke.open("paced").finished)

    def test_an_interrupt_while_a_paced_run_is_prepared(self):
        class Slow(yoke.run.Run):
            def __init__(self, *words, **settings):
                os.kill(os.getpid(), signal.SIGINT)
                interrupted.wait(20)
                super().__init__(*words, **settings)

        interrupted = threading.Event()
        exp = yoke.load("specimen.yaml", set={"time.end": "1 s", "limits.missed_deadlines": 0, "limits.stall": 0})
        before = signal.signal(signal.SIGINT, lambda *_: (interrupted.set(), signal.default_int_handler(*_)))
        try:
            with unittest.mock.patch.object(yoke.run, "Run", Slow), self.assertRaises(KeyboardInterrupt):
                exp.run(realtime=True, output="paced")
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertEqual(len(yoke.open("paced").time), 1)  # nothing moved

    def test_progress_and_until(self):
        seen = []
        rec = yoke.load("frame.yaml").run(until="1 s", progress=lambda step, steps: seen.append((step, steps)))
        self.assertEqual(len(rec.time), 201)
        self.assertFalse(rec.finished)
        self.assertEqual(seen[-1], (200, 4000))


class Nonsense(support.InFolder):
    def test_files(self):
        with self.assertRaises(yoke.Error) as caught:
            yoke.load("nothing.yaml")
        self.assertIn("nothing.yaml", str(caught.exception))
        with self.assertRaises(yoke.Error):
            yoke.open("nothing")
        with open("text.h5", "w", encoding="utf-8") as out:
            out.write("no recording")
        with self.assertRaises(yoke.Error):
            yoke.open("text.h5")
        with self.assertRaises((yoke.FileError, OSError)):
            yoke.load("frame.yaml").run(output="frame.yaml/below")
        with self.assertRaises(TypeError):
            yoke.load(42)
        with self.assertRaises(yoke.InputError):
            yoke.load({})
        with self.assertRaises(yoke.InputError):
            yoke.load({1: 2})
        with self.assertRaises(yoke.InputError):
            yoke.loads("")

    def test_places(self):
        with self.assertRaises(yoke.InputError) as caught:
            yoke.loads("title: x\ntime: {step: 1, end: 2\n")
        self.assertEqual(caught.exception.file, "<text>")
        with self.assertRaises(yoke.InputError) as caught:
            yoke.load({**support.OSCILLATOR, "time": {"step": "1 ms", "ende": 1}})
        self.assertTrue(str(caught.exception).startswith("time"), str(caught.exception))
        self.assertEqual((caught.exception.file, caught.exception.line), (None, None))
        with self.assertRaises(yoke.InputError) as caught:
            yoke.load("frame.yaml").replace({"loads.7.peak": 1})
        self.assertIn("--set loads.7.peak=1", str(caught.exception))
        program = support.program("check", "frame.yaml", "--set", "loads.7.peak=1").stderr
        self.assertEqual(program.strip(), "yoke: " + str(caught.exception))
        error = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(error), error.file), (str(caught.exception), caught.exception.file))

    def test_values(self):
        for bad in (math.nan, math.inf, None, [], {}, "soon", -1.0):
            with self.assertRaises(yoke.Error, msg=repr(bad)):
                yoke.load("frame.yaml", set={"time.step": bad})
        for key in ("", "no.such.key", "time.", ".step"):
            with self.assertRaises(yoke.Error, msg=key):
                yoke.load("frame.yaml").replace({key: 1})

    def test_arguments(self):
        exp = yoke.load("frame.yaml")
        run = exp.start()
        for call in (lambda: run.advance(-1.0), lambda: run.advance(1.0, steps=3), lambda: run.advance(math.nan),
                     lambda: run.force.__setitem__("frame.floor2.x", math.inf), lambda: yoke.run_many([exp], threads=-1),
                     lambda: yoke.study(exp, {"loads.0.seed": [1]}, {}),
                     lambda: yoke.study(exp, {"loads.0.seed": [1]}, {"x": yoke.peak("nothing")}),
                     lambda: yoke.analyze.spectrum(exp, [-1.0]), lambda: yoke.analyze.spectrum(exp, ["x"]),
                     lambda: yoke.analyze.order(exp, 99), lambda: yoke.analyze.frf(exp), lambda: yoke.analyze.margin(exp),
                     lambda: yoke.analyze.drift(exp), lambda: yoke.analyze.delay(([1, 2], [1])),
                     lambda: yoke.analyze.delay(([1.0], [1.0]), step=0.1), lambda: exp.start(record=False).recording(),
                     lambda: yoke.Env(exp, observe=["nothing"], act={}, reward=len),
                     lambda: yoke.VectorEnv(yoke.Env(exp, observe=["time"], act={}, reward=lambda r: 0.0), 0)):
            with self.assertRaises(yoke.InputError):
                call()
        for call in (lambda: run["nothing"], lambda: run.force["nothing"], lambda: run.u["nothing"], lambda: run.index("x"),
                     lambda: exp.matrices("x"), lambda: exp.run(until=0.1)["x"]):
            with self.assertRaises(KeyError):
                call()
        with self.assertRaises(yoke.UnitError):
            exp.run(until=0.1)["frame.floor2.x.u", "kN"]

    def test_failures_of_a_study_are_listed(self):
        exp = yoke.load("frame.yaml", set={"time.end": "0.5 s"})
        st = yoke.study(exp, [{"loads.0.seed": 1}, {"loads.0.peak": "3 kg"}, {"loads.0.seed": 2}],
                        {"top": yoke.peak("frame.floor2.x.u"), "end": yoke.final("frame.floor2.x.u"),
                         "rms": yoke.rms("frame.floor2.x.u")}, threads=2)
        self.assertEqual([f.index for f in st.failures], [1])
        self.assertIsInstance(st.failures[0].error, yoke.UnitError)
        self.assertTrue(np.isnan(st["top"][1]) and np.isfinite(st["top"][[0, 2]]).all())
        self.assertTrue((st["rms"][[0, 2]] <= st["top"][[0, 2]]).all())
        with self.assertRaises(yoke.UnitError):
            yoke.run_many([(exp, {"loads.0.peak": "3 kg"}), exp], threads=2)


class Threads(support.InFolder):
    def test_two_threads_on_one_run(self):
        exp = yoke.load("frame.yaml", set={"time.end": "200000 s"})
        run = exp.start(record=False)
        refused = []
        ready = threading.Event()

        def work():
            ready.set()
            try:
                run.advance(steps=2_000_000)
            except RuntimeError as error:
                refused.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        ready.wait()
        while thread.is_alive() and not refused:
            try:
                run.advance(steps=1000)
            except RuntimeError as error:
                refused.append(error)
        thread.join()
        self.assertIn("another thread", str(refused[0]))

    def test_threads_share_an_experiment(self):
        exp = yoke.load("frame.yaml", set={"time.end": "2 s"})
        want = support.rows(exp.run())
        got = []
        threads = [threading.Thread(target=lambda: got.append(support.rows(exp.run()))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(got, [want] * 8)

    def test_a_run_does_not_survive_fork(self):
        run = yoke.load("frame.yaml").start()
        run.advance(0.1)
        child = os.fork()
        if child == 0:
            try:
                run.advance(0.1)
                os._exit(1)
            except RuntimeError:
                os._exit(0)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(run.advance(0.1), 20)

    def test_an_interrupt_ends_a_run_and_keeps_its_recording(self):
        exp = yoke.load("frame.yaml", set={"time.end": "2000 s"})
        with self.assertRaises(KeyboardInterrupt) as caught:
            exp.run(progress=lambda step, steps: os.kill(os.getpid(), signal.SIGINT))
        self.assertTrue(hasattr(caught.exception, "recording"))

    def test_ten_thousand_runs_leave_nothing_behind(self):
        exp = yoke.load("frame.yaml", set={"time.end": "0.05 s"})
        files = len(os.listdir("/proc/self/fd"))

        def some(count):
            for _ in range(count):
                with exp.start() as run:
                    run.advance(steps=5)
            gc.collect()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        sanitized = "YOKE_SLOW" in os.environ  # what is freed is kept for a while there
        before = some(500 if sanitized else 5000)
        after = some(500 if sanitized else 5000)
        self.assertLess(after - before, 50000 if sanitized else 3000, "kB")
        self.assertEqual(len(os.listdir("/proc/self/fd")), files)
        self.assertEqual(threading.active_count(), 1)


class Environments(support.InFolder):
    def make(self):
        return yoke.Env(yoke.load("frame.yaml", set={"time.end": "1 s"}), observe=["frame.floor2.x.u", "frame.floor2.x.v"],
                        act={"frame.floor2.x": 50e3}, reward=lambda run: -run["frame.floor2.x.u"] ** 2, every=10,
                        randomize=lambda rng: {"loads.0.seed": int(rng.integers(1, 1000))})

    def episode(self, env, seed):
        seen = [env.reset(seed=seed)[0]]
        over = False
        while not over:
            obs, reward, terminated, truncated, info = env.step([0.1])
            seen.append(np.append(obs, reward))
            over = terminated or truncated
        return np.concatenate(seen).tobytes(), info["time"]

    def test_the_same_seed_gives_the_same_bits(self):
        one, two = self.episode(self.make(), 3), self.episode(self.make(), 3)
        self.assertEqual(one, two)
        self.assertEqual(one[1], 1.0)
        self.assertNotEqual(one[0], self.episode(self.make(), 4)[0])

    def test_members_of_a_vector_equal_single_ones(self):
        env = self.make()
        many = yoke.VectorEnv(env, 6, threads=2)
        obs = many.reset(seed=5)[0]
        singles = [self.make() for _ in range(6)]
        first = [single.reset(seed=5 + i)[0] for i, single in enumerate(singles)]
        np.testing.assert_array_equal(obs, np.stack(first))
        actions = np.linspace(-1, 1, 6)[:, None]
        for k in range(20):
            obs, reward, terminated, truncated, info = many.step(actions)
            alone = [single.step(action) for single, action in zip(singles, actions)]
            np.testing.assert_array_equal(reward, [a[1] for a in alone])
            if k < 19:
                np.testing.assert_array_equal(obs, np.stack([a[0] for a in alone]))
        self.assertTrue(truncated.all())
        np.testing.assert_array_equal(info["final_obs"], np.stack([a[0] for a in alone]))
        self.assertEqual(obs.shape, (6, 2))  # of the next episodes
        with self.assertRaises(yoke.InputError):
            many.step(np.zeros((5, 1)))
        many.close()


class Speed(support.InFolder):
    """Numbers are printed; what is asserted is generous."""

    def best(self, work, repeat=5):
        times = []
        for _ in range(repeat):
            begin = time.process_time()  # others may use the processors
            work()
            times.append(time.process_time() - begin)
        return statistics.median(times)

    def test_steps_through_python(self):
        exp = yoke.load("frame.yaml")

        def loop():
            largest = 0.0
            with exp.start(record=False) as run:
                for _ in run:
                    largest = max(largest, run["frame.floor2.x.u"])

        def strides():
            with exp.start(record=False) as run:
                run.advance()

        slow, fast = self.best(loop) / exp.steps, self.best(strides) / exp.steps
        print(f"for step in run with a channel read: {1e6 * slow:.2f} us a step ({1 / slow:.0f} steps a second); in C "
              f"{1e6 * fast:.2f} us", file=sys.stderr)
        self.assertGreater(1 / slow, 10_000)

    def test_a_scalar_callback(self):
        class Spring:
            def force(self, d, w, old, new):
                return 800.0 * d

            def tangent(self, d, w, old):
                return 800.0, 0.0

        own = yoke.load(support.with_element({"kind": Spring()}, "central-difference"))
        built_in = yoke.load(support.with_element({"kind": "cubic-spring", "stiffness": 800.0, "cubic": 0.0},
                                                  "central-difference"))
        calls = 2 * own.steps
        extra = (self.best(own.run) - self.best(built_in.run)) / calls
        print(f"a law in Python: {1e6 * extra:.2f} us a call", file=sys.stderr)
        self.assertLess(extra, 50e-6)

    def test_many_runs(self):
        exp = yoke.load("frame.yaml", set={"time.end": "2 s"})
        jobs = [exp] * 100

        def bare():
            for _ in range(100):
                with exp.start(record=False) as run:
                    run.advance()

        many, one = self.best(lambda: yoke.run_many(jobs, threads=1, keep=["frame.floor2.x.u"]), 3), self.best(bare, 3)
        print(f"run_many on one thread: {many / one:.2f} times bare runs", file=sys.stderr)
        self.assertLess(many, 5 * one)


if __name__ == "__main__":
    unittest.main()
