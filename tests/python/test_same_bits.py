"""A run through Python has the samples of the program, to the last bit, however it is divided, saved or continued."""

import glob
import os
import pickle
import random
import re
import subprocess
import sys
import unittest

import support
import yoke

# one of every method that keeps something, with hysteresis, specimens, noise, delays and random numbers among them
SAVED = ["split-mass/split-mass.yaml", "hysteretic-numerical-side/parallel-newmark.yaml",
         "hysteretic-numerical-side/parallel-rosenbrock.yaml", "coupled-pendulum/feedback.yaml",
         "efc-yielding-brace/efc-yielding-brace.yaml", "adaptive-compensation/adaptive.yaml",
         "spring-specimen/spring-specimen.yaml", "bouc-wen-isolator/isolated-frame.yaml", "axial-load/axial-load.yaml",
         "rotating-mass-rig/rotating-mass-rig.yaml", "three-subdomains/subcycled.yaml", "bridge-88/bridge-88.yaml"]
COUPLINGS = ["gc", "ph", "pm", "mph", "state-space", "assr1", "assr2", "apnr1", "apnr2", "apsr1", "plsrt2", "vpnr1", "vpnr2",
             "iplsrt2"]
NOISY = {"rig.actuators.a1.sensors": {"displacement_noise": "1e-6 m", "force_noise": "0.1 N"}}

RESTORE = """
import pickle, sys, yoke
exp, state, rest = pickle.load(sys.stdin.buffer)
run = exp.start()
run.restore(state)
run.advance(steps=rest)
sys.stdout.buffer.write(run.row.tobytes())
"""


class SameBits(support.InFolder):
    def test_every_example_has_the_samples_of_the_program(self):
        compared = 0
        for file in sorted(glob.glob(support.example("*/*.yaml"))):
            with open(file, encoding="utf-8") as text:
                if re.search(r"backend: (?!virtual)|^analysis: static", text.read(), re.M) or "/viaduct/" in file:
                    continue  # a rig that is not here; a quasi-static test, which sessions refuse; minutes
            with self.subTest(file=os.path.relpath(file, support.EXAMPLES)):
                program = support.program("run", file, "-o", "out", "--force", "-q", "--no-report", "--budget", "0")
                if program.returncode in (1, 2):  # a plugin that is not built
                    with self.assertRaises(yoke.Error) as caught:
                        yoke.load(file).run()
                    self.assertEqual("yoke: " + str(caught.exception), program.stderr.strip())
                    continue
                try:
                    rec = yoke.load(file).run()
                except yoke.Stopped as stopped:
                    rec = stopped.recording
                    self.assertEqual(program.returncode, 3)
                self.assertEqual(support.streams(yoke.open("out")), support.streams(rec))
                compared += 1
        self.assertGreater(compared, 25)

    def test_a_file_written_by_python_reads_like_that_of_the_program(self):
        support.program("run", "frame.yaml", "-o", "a", "-q", "--no-report")
        rec = yoke.load("frame.yaml").run(output="b")
        a, b = yoke.open("a"), yoke.open("b")
        self.assertEqual(support.streams(a), support.streams(b))
        self.assertEqual(a.names, b.names)
        self.assertEqual(a.units, b.units)
        self.assertEqual(a.experiment, b.experiment)
        self.assertEqual(a.summary["peaks"], b.summary["peaks"])
        self.assertEqual(support.program("export", "b", "--csv", "-").stdout, support.program("export", "a", "--csv", "-").stdout)
        rec.save("c.h5")
        self.assertEqual(support.streams(yoke.open("c.h5")), support.streams(rec))
        self.assertEqual(yoke.open("c.h5").title, rec.title)

    def test_slices_do_not_change_a_bit(self):
        for file in ("frame.yaml", "specimen.yaml", support.example("split-mass/split-mass.yaml")):
            exp = yoke.load(file)
            whole = exp.run()
            for slice_ in (1, 7, 1000):
                with exp.start() as run:
                    while run.advance(steps=slice_):
                        pass
                self.assertEqual(support.rows(run.recording()), support.rows(whole), (file, slice_))
            with exp.start() as run:
                self.assertEqual(list(run), list(range(1, exp.steps + 1)))
            self.assertEqual(support.streams(run.recording()), support.streams(whole))

    def test_two_threads_give_the_bits_of_one(self):
        exp = yoke.load(support.example("hysteretic-numerical-side/parallel-newmark.yaml"))
        self.assertEqual(support.streams(exp.run(threads=2)), support.streams(exp.run()))
        with self.assertRaises(yoke.UnsupportedError):
            yoke.run.Run(exp, threads=2).save()

    def test_threads_and_order_of_jobs_do_not_change_a_bit(self):
        exp = yoke.load("frame.yaml", set={"time.end": "2 s"})
        jobs = [(exp, {"loads.0.seed": seed}) for seed in range(1, 41)]
        one = [support.rows(rec) for rec in yoke.run_many(jobs, threads=1)]
        self.assertEqual([support.rows(rec) for rec in yoke.run_many(jobs, threads=2)], one)
        order = list(range(40))
        random.Random(1).shuffle(order)
        mixed = yoke.run_many([jobs[i] for i in order], threads=4)
        self.assertEqual([support.rows(rec) for rec in mixed], [one[i] for i in order])
        self.assertEqual(support.rows(exp.replace({"loads.0.seed": 12}).run()), one[11])

    def test_a_text_and_a_dict_give_the_bits_of_the_file(self):
        exp = yoke.load("specimen.yaml", set={"time.end": "2 s"})
        want = support.streams(exp.run())
        self.assertEqual(support.streams(yoke.loads(exp.text).run()), want)
        self.assertEqual(support.streams(yoke.load(exp.to_dict()).run()), want)
        self.assertEqual(support.streams(pickle.loads(pickle.dumps(exp)).run()), want)
        self.assertEqual(support.streams(yoke.loads(exp.run().experiment).run()), want)

    def check_saved(self, exp, elsewhere):
        half = max(1, min(exp.steps // 2, 400))
        rest = min(exp.steps - half, 200)
        run = exp.start()
        run.advance(steps=half)
        state = run.save()
        run.advance(steps=rest)
        want = run.row.tobytes()
        run.restore(state)
        self.assertEqual((run.step, run.time), (state.step, state.time))
        run.advance(steps=rest)
        self.assertEqual(run.row.tobytes(), want, "restored")
        whole = run.recording()
        other = exp.start()
        other.restore(pickle.loads(pickle.dumps(state)))
        branch = other.copy()
        other.advance(steps=rest)
        branch.advance(steps=rest)
        self.assertEqual(other.row.tobytes(), want, "in another run")
        self.assertEqual(branch.row.tobytes(), want, "in a copy")
        through = exp.start()
        through.advance(steps=half + rest)
        self.assertEqual(support.streams(whole), support.streams(through.recording()), "recorded")
        if elsewhere:
            out = subprocess.run([sys.executable, "-c", RESTORE], input=pickle.dumps((exp, state, rest)), capture_output=True,
                                 check=False)
            self.assertEqual(out.stderr.decode(), "")
            self.assertEqual(out.stdout, want, "in another process")

    def test_a_saved_state_continues_with_the_same_bits(self):
        for file in SAVED:
            with self.subTest(file=file):
                self.check_saved(yoke.load(support.example(file)), True)

    def test_every_coupling_can_be_saved(self):
        for coupling in COUPLINGS:
            with self.subTest(coupling=coupling):
                self.check_saved(yoke.load(support.example("split-mass/split-mass.yaml"),
                                           set={"method": {"coupling": coupling},
                                                "time.substeps": 2 if coupling == "assr2" else 1}), False)

    def test_every_integrator_can_be_saved(self):
        for name in yoke.list("integrators"):
            with self.subTest(integrator=name):
                self.check_saved(yoke.load("frame.yaml", set={"method": {"integrator": name}, "time.end": "2 s"}), False)

    def test_random_numbers_of_sensors_are_saved(self):
        exp = yoke.load("specimen.yaml", set=NOISY)
        quiet = yoke.load("specimen.yaml").run(until=1.0)
        self.assertNotEqual(support.rows(exp.run(until=1.0).ticks), support.rows(quiet.ticks))
        self.check_saved(exp, True)

    def test_a_state_of_another_experiment_is_refused(self):
        run = yoke.load("frame.yaml").start()
        state = run.save()
        other = yoke.load("frame.yaml", set={"loads.0.seed": 3}).start()
        with self.assertRaisesRegex(yoke.InputError, "not one of this experiment"):
            other.restore(state)
        with self.assertRaisesRegex(yoke.InputError, "incomplete"):
            run.restore(yoke.State(bytes(state)[:-8], 0.0, 0, []))
        with self.assertRaises(yoke.InputError):
            run.restore(yoke.State(b"nonsense", 0.0, 0, []))
        with self.assertRaises(yoke.InputError):
            run.restore(b"bytes")

    def test_pushed_forces_are_part_of_a_state(self):
        exp = yoke.load("frame.yaml", set={"loads": []})
        run = exp.start()
        run.force["frame.floor2.x"] = 2e3
        run.advance(steps=100)
        state = run.save()
        run.advance(steps=100)
        want = run.row.tobytes()
        other = exp.start()
        other.restore(state)
        other.advance(steps=100)
        self.assertEqual(other.row.tobytes(), want)


if __name__ == "__main__":
    unittest.main()
