"""Environments for learning controllers, with the interface of Gymnasium; that package is optional."""

from __future__ import annotations

import concurrent.futures
import importlib
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence

import numpy as np

from . import errors
from ._core import nearest
from .run import Run

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .experiment import Experiment

    Array = NDArray[np.float64]

_gymnasium: Any = None
try:
    _gymnasium = importlib.import_module("gymnasium")
except ImportError:
    pass

_Base: Any = _gymnasium.Env if _gymnasium is not None else object


class Env(_Base):  # type: ignore[misc]
    """A run as an environment: observations are channels, actions are forces on degrees of freedom.

    observe: names of channels. act: {"frame.floor2.x": largest force [N]}; actions are in -1 .. 1. reward: a function of
    the `Run`. every: steps of the experiment between two decisions. randomize: a function of a numpy random generator
    that returns values for `Experiment.replace`, at every reset.
    """

    #: of Gymnasium: nothing is rendered
    metadata: dict[str, Any] = {"render_modes": []}
    render_mode = None

    def __init__(self, exp: "Experiment", *, observe: Sequence[str], act: Mapping[str, float],
                 reward: Callable[[Run], float], every: int = 1,
                 randomize: Optional[Callable[[np.random.Generator], Mapping[str, Any]]] = None) -> None:
        names = [channel.name for channel in exp.channels]
        dofs = [f"{sub}.{dof}" for sub, all_ in exp.dofs.items() for dof in all_]
        for name in observe:
            if name not in names:
                raise errors.InputError(nearest(name, names))
        for dof in act:
            if dof not in dofs:
                raise errors.InputError(nearest(dof, dofs))
        if every < 1:
            raise errors.RangeError(f"every = {every}; 1 and more are allowed")
        self.experiment = exp
        self.observe = tuple(observe)
        self.act = {dof: float(size) for dof, size in act.items()}
        self.reward = reward
        self.every = int(every)
        self.randomize = randomize
        self._random = np.random.default_rng()
        self._run: Optional[Run] = None
        self._indices = np.array([names.index(name) for name in self.observe], dtype=int)
        if _gymnasium is not None:
            box = _gymnasium.spaces.Box
            self.observation_space = box(-np.inf, np.inf, (len(self.observe),), np.float64)
            self.action_space = box(-1.0, 1.0, (len(self.act),), np.float64)

    @property
    def action_size(self) -> int:
        """Numbers in an action."""
        return len(self.act)

    @property
    def run(self) -> Run:
        """The run of the present episode."""
        if self._run is None:
            raise RuntimeError("call reset first")
        return self._run

    def _seed(self, seed: Optional[int]) -> None:
        if seed is not None:
            self._random = np.random.default_rng(seed)

    def _observation(self) -> "Array":
        values: "Array" = self.run.row[self._indices]
        return values

    def _info(self) -> dict[str, Any]:
        return {"time": self.run.time, "step": self.run.step, "reason": self.run.reason}

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None
              ) -> tuple["Array", dict[str, Any]]:
        """Starts another episode; returns observation and info. options: values for `Experiment.replace`."""
        self._seed(seed)
        values = {**(self.randomize(self._random) if self.randomize else {}), **(options or {})}
        if self._run is not None:
            self._run.close()
        self._run = (self.experiment.replace(values) if values else self.experiment).start(record=False)
        return self._observation(), self._info()

    def _push(self, action: "ArrayLike") -> None:
        values = np.asarray(action, dtype=float).ravel()
        if values.shape != (len(self.act),):
            raise errors.InputError(f"an action has {len(self.act)} numbers, not {values.size}")
        if not np.isfinite(values).all():
            raise errors.RangeError("an action must be finite")
        for (dof, size), value in zip(self.act.items(), np.clip(values, -1, 1)):
            self.run.force[dof] = size * float(value)

    def _advance(self) -> None:
        self.run._go(self.every, 0.0)

    def _outcome(self) -> tuple["Array", float, bool, bool, dict[str, Any]]:
        run = self.run
        terminated = bool(run.reason)
        return self._observation(), float(self.reward(run)), terminated, run.finished and not terminated, self._info()

    def step(self, action: "ArrayLike") -> tuple["Array", float, bool, bool, dict[str, Any]]:
        """Applies an action and goes on to the next decision.

        Returns observation, reward, terminated (a limit tripped or the motion diverged), truncated (the end of the
        experiment) and info.
        """
        self._push(action)
        self._advance()
        return self._outcome()

    def close(self) -> None:
        """Ends the run."""
        if self._run is not None:
            self._run.close()


class VectorEnv:
    """Many environments side by side, with one array for all of them; finished members are reset by themselves.

    Their last observations are in `info["final_obs"]`, nan for the others.
    """

    def __init__(self, env: Env, count: int, *, threads: int = 0) -> None:
        if count < 1:
            raise errors.RangeError(f"count = {count}; 1 and more are allowed")
        self.envs = [Env(env.experiment, observe=env.observe, act=env.act, reward=env.reward, every=env.every,
                         randomize=env.randomize) for _ in range(count)]
        self.num_envs = count
        self.action_size = env.action_size
        self._threads = threads
        self._pool: Optional[concurrent.futures.ThreadPoolExecutor] = None

    def _each(self, work: Callable[[list[Env]], None]) -> None:
        import os

        count = min(self._threads or os.cpu_count() or 1, len(self.envs))
        if count == 1:
            work(self.envs)
            return
        if self._pool is None:
            self._pool = concurrent.futures.ThreadPoolExecutor(count, thread_name_prefix="yoke")
        for done in [self._pool.submit(work, self.envs[i::count]) for i in range(count)]:
            done.result()

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None
              ) -> tuple["Array", dict[str, Any]]:
        """Starts all episodes; member i has the seed `seed + i`."""
        results: dict[int, "Array"] = {}

        def work(part: list[Env]) -> None:
            for env in part:
                i = self.envs.index(env)
                results[i] = env.reset(seed=None if seed is None else seed + i, options=options)[0]

        self._each(work)
        return np.stack([results[i] for i in range(self.num_envs)]), {}

    def step(self, actions: "ArrayLike") -> tuple["Array", "Array", "NDArray[np.bool_]", "NDArray[np.bool_]", dict[str, Any]]:
        """Applies actions (count, action_size); returns arrays of the same five values as `Env.step`."""
        given = np.asarray(actions, dtype=float)
        if given.shape != (self.num_envs, self.action_size):
            raise errors.InputError(f"actions have the shape {given.shape}, not ({self.num_envs}, {self.action_size})")
        for env, action in zip(self.envs, given):
            env._push(action)

        def work(part: list[Env]) -> None:
            for env in part:
                env._advance()

        self._each(work)
        outcomes = [env._outcome() for env in self.envs]
        obs = np.stack([outcome[0] for outcome in outcomes])
        reward = np.array([outcome[1] for outcome in outcomes])
        terminated = np.array([outcome[2] for outcome in outcomes], dtype=bool)
        truncated = np.array([outcome[3] for outcome in outcomes], dtype=bool)
        info: dict[str, Any] = {"time": np.array([outcome[4]["time"] for outcome in outcomes])}
        over = terminated | truncated
        if over.any():
            info["final_obs"] = np.where(over[:, None], obs, np.nan)
            for i in np.flatnonzero(over):
                obs[i] = self.envs[i].reset()[0]
        return obs, reward, terminated, truncated, info

    def close(self) -> None:
        """Ends all runs."""
        for env in self.envs:
            env.close()
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
