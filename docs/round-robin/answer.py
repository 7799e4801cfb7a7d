#!/usr/bin/env python3
"""The round robin answered by Yoke: runs test.yaml and prints the answers as JSON. PYTHONPATH=build/python"""
import json
import os

import numpy as np
import yoke

rec = yoke.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), "test.yaml")).run()
u1, u2 = rec["frame.floor1.x.u"], rec["frame.floor2.x.u"]
print(json.dumps({"peak_u1_m": abs(u1).max(), "peak_u2_m": abs(u2).max(),
                  "time_of_peak_u2_s": rec.time[abs(u2).argmax()], "rms_u2_m": float(np.sqrt((u2 ** 2).mean())),
                  "end_u2_m": u2[-1], "peak_base_spring_N": 18e6 * abs(u1).max()}))
