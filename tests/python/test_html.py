"""What notebooks show: well-formed HTML with the numbers of the objects, whatever stands in their texts."""

import html.parser
import re
import unittest

import numpy as np
import support
import yoke

VOID = {"br", "polyline"}


class Tags(html.parser.HTMLParser):
    """Every tag that is opened is closed, in the right order; nothing is fetched or executed."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.open, self.words, self.seen = [], [], []
        self.feed(page)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        assert tag not in ("script", "img", "link", "iframe", "style", "a"), tag
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attributes), attributes
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.words.append(data)


def words(page):
    return " ".join(Tags(page).words)


def renamed(title):
    return {**support.OSCILLATOR, "title": title}


class Notebooks(support.InFolder):
    def test_an_experiment_shows_its_method_and_file(self):
        page = words(yoke.load("specimen.yaml")._repr_html_())
        for part in ("One-DoF structure with a spring specimen", "lsrt2", "2000 of 0.01 s", "a1", "stiffness: [[71061]]"):
            self.assertIn(part, page)

    def test_texts_of_the_user_stay_texts(self):
        exp = yoke.load(renamed("<script>alert(1)</script> & <b>"))
        for page in (exp._repr_html_(), exp.check()._repr_html_(), exp.run()._repr_html_()):
            self.assertNotIn("<script", page)
            self.assertIn("<script>alert(1)</script> & <b>", words(page))

    def test_a_check_shows_what_is_stable(self):
        page = words(yoke.load("frame.yaml").check()._repr_html_())
        self.assertRegex(page, r"stable\s+yes")
        self.assertIn("3.082, 7.293 Hz", page)
        exp = yoke.load("frame.yaml", set={"method.integrator": "central-difference", "time.step": "0.1 s"})
        self.assertRegex(words(exp.check()._repr_html_()), r"stable\s+no")

    def test_a_recording_shows_curves_between_least_and_most(self):
        rec = yoke.load("frame.yaml").run()
        page = rec._repr_html_()
        self.assertIn("4001 rows, finished", words(page))
        x = rec["frame.floor1.x.u"]
        self.assertIn(f"frame.floor1.x.u: {x.min():.4g} m to {x.max():.4g} m", words(page))
        curves = re.findall(r"points='([^']*)'", page)
        self.assertEqual(len(curves), 4)
        points = np.array([[float(v) for v in p.split(",")] for p in curves[0].split()])
        self.assertLessEqual(len(points), 2 * 280)
        # the largest value is at its time, three pixels below the upper edge
        peak = points[points[:, 1].argmin()]
        self.assertAlmostEqual(peak[1], 3, delta=0.06)
        self.assertAlmostEqual(peak[0], 560 * rec.time[x.argmax()] / 20, delta=0.06)

    def test_a_verdict_shows_its_reasons(self):
        rec = yoke.load("specimen.yaml", set={"transfer.a1.compensator.delay": "5 ms", "method.stability": "warn"}).run()
        self.assertNotEqual(rec.verdict["level"], "good")
        page = words(rec.verdict._repr_html_())
        for part in (rec.verdict["level"], rec.verdict["reasons"][0]["text"], rec.verdict["reasons"][0]["advice"]):
            self.assertIn(part, page)
        self.assertIn(rec.verdict["reasons"][0]["text"], words(rec._repr_html_()))

    def test_a_recording_without_rows_or_numbers_is_shown_as_well(self):
        from yoke import _html

        self.assertEqual(_html.curve("x", "m", np.zeros(0), np.zeros(0)), "")
        self.assertEqual(_html.curve("x", "m", np.arange(3.0), np.full(3, np.nan)), "")
        self.assertEqual(_html.verdict({}), "no verdict")
        Tags(_html.curve("x", "m", np.arange(3.0), np.array([0.0, np.nan, 1.0])))
        with yoke.load("frame.yaml").start() as run:
            Tags(run.recording()._repr_html_())


if __name__ == "__main__":
    unittest.main()
