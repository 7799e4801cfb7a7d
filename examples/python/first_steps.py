"""A frame under an earthquake: run it, look at it."""

# %% Read the experiment; nothing runs yet
import os

import yoke

here = os.path.dirname(os.path.abspath(__file__))
exp = yoke.load(os.path.join(here, "..", "shear-frame-earthquake", "shear-frame-earthquake.yaml"))
print(exp)
print(exp.check())

# %% Run it; every channel is an array
rec = exp.run()
for name, peak in sorted(rec.peak.items()):
    if name.startswith("frame.") and name.endswith(".u"):
        print(f"{name:24} {1e3 * peak:8.2f} mm")

# %% The method is accurate if no energy is lost or made
print(f"error of the energy balance: {rec.peak['energy.error'] / rec.peak['energy.work']:.1e} of the work of the ground")

# %% How long may the step be? The same run with half of it
fine = exp.replace({"time.step": exp.step / 2}).run()
top = "frame.floor4.x.u"
print(f"peak of {top}: {rec.peak[top]:.6f} m, with half the step {fine.peak[top]:.6f} m")

# %% A picture, where matplotlib is installed
try:
    ax = rec.plot(*rec.select("frame.*.u")[0], unit="mm")
    ax.set_title(rec.title)
    ax.figure.savefig("first_steps.svg")
except ImportError as missing:
    print(missing)
