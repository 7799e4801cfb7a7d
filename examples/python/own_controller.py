"""A controller of one's own on the virtual rig: a PI controller with several gains."""

# %% A controller is an object with two methods
import os

import yoke


class PI:
    """Drive = command + integral of the tracking error."""

    def __init__(self, rate: float) -> None:
        self.rate = rate  # 1/s

    def reset(self, x: float, tick: float) -> None:
        self.sum, self.tick = 0.0, tick

    def command(self, t: float, command: float, measured: float) -> float:
        self.sum += self.rate * self.tick * (command - measured)
        return command + self.sum


# %% In the place of the controller of the file
here = os.path.dirname(os.path.abspath(__file__))
exp = yoke.load(os.path.join(here, "..", "spring-specimen", "spring-specimen.yaml"), set={"time.end": "5 s"})
for rate in (0.0, 10.0, 20.0, 30.0):
    mine = exp.replace({"transfer.a1.controller": PI(rate)})
    track = yoke.analyze.delay(mine.run(), "a1")
    print(f"rate {rate:4.1f} 1/s: delay {1e3 * track.target.delay:6.2f} ms, tracking error {100 * track.nrms:5.2f} %")

# %% What does the delay margin become? The analysis calls the Python code
print(f"margin with the controller of the file: {1e3 * yoke.analyze.margin(exp).margin:.1f} ms")

# %% A run stops cleanly where the code fails: the exception comes out with its traceback


class Broken(PI):
    def command(self, t: float, command: float, measured: float) -> float:
        if t > 1:
            raise RuntimeError("the controller has a bug")
        return super().command(t, command, measured)


try:
    exp.replace({"transfer.a1.controller": Broken(2.0)}).run()
except RuntimeError as error:
    print(f"{error} ({' '.join(getattr(error, '__notes__', []))})")
