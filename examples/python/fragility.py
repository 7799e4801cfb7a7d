"""How often a drift is exceeded, over hundreds of earthquakes: runs on all cores."""

# %% One experiment, many strengths and earthquakes
import os

import numpy as np

import yoke

here = os.path.dirname(os.path.abspath(__file__))
exp = yoke.load(os.path.join(here, "..", "shear-frame-earthquake", "shear-frame-earthquake.yaml"))
top = "frame.floor4.x.u"
strengths = [0.1, 0.2, 0.3, 0.4]
study = yoke.study(exp, {"loads.0.peak": [f"{g} g" for g in strengths], "loads.0.seed": range(1, 26)},
                   {"drift": yoke.peak(top)})
print(study)

# %% The share of earthquakes with more than 60 mm
drifts = study.grid("drift")
for g, row in zip(strengths, drifts):
    print(f"{g:.1f} g: median {1e3 * np.median(row):6.1f} mm, beyond 60 mm {100 * np.mean(row > 0.06):3.0f} %")

# %% A linear frame: the drift is proportional to the peak
np.testing.assert_allclose(drifts[3], 4 * drifts[0], rtol=1e-9)
