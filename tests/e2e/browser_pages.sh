#!/usr/bin/env bash
# The report and the modules of the pages in a real browser: browser.sh, beside the test of the dashboard.
exec bash "$(dirname "$0")/browser.sh" "$1" modules report
