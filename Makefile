# Everything one does with this repository. `make help` lists the targets; CMake and Ninja do the work.
PREFIX       ?= /usr/local
DESTDIR      ?=
FUZZ_SECONDS ?= 60
CROSSINGS_SECONDS ?= 300
SOAK_SECONDS ?= 600
DEMO         ?= examples/spring-specimen/spring-specimen.yaml
JOBS         ?= $(shell nproc)

# $(call configure,FOLDER,OPTIONS): once; later builds configure by themselves when it is needed.
configure = @test -f $(1)/build.ninja || cmake -S . -B $(1) -G Ninja $(2)
# $(call build,FOLDER,TARGET)
build = @cmake --build $(1) --parallel $(JOBS) --target $(2)
# Optimised a little, so that the sanitizers and the analysers of coverage finish soon.
DEBUG = -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O1 -g"

.PHONY: all help demo test quick verdicts certificates energy new-tests test-kernels crossings extension-check soak lint format sanitize tsan fuzz bench yardsticks million ranking reproduction safety-case peers prototypes site deb deb-try coverage install uninstall clean wheel python-check

all: ##          build a release; the program is build/yoke
	@tools/bootstrap core
	$(call configure,build,)
	$(call build,build,program)

help: ##         list the targets
	@echo 'usage: make [TARGET]'
	@sed -n 's/^\([a-z-]*\):.*## */  \1\t/p' Makefile | expand -t 18
	@echo 'Settings: PREFIX DESTDIR (install), FUZZ_SECONDS (fuzz), CROSSINGS_SECONDS (crossings), SOAK_SECONDS (soak), DEMO (demo), JOBS.'
	@echo 'Missing Debian packages are installed first, as root or through sudo.'

demo: all ##     build, run a hybrid test on the virtual rig and write its report
	@echo
	@build/yoke check $(DEMO)
	@echo
	@build/yoke run $(DEMO) -o out/demo --force
	@echo
	@echo 'What else there is:        build/yoke --help'
	@echo 'The same while it runs:    build/yoke run $(DEMO) --live'
	@echo 'Open this in a browser:    $(CURDIR)/out/demo/report.html'

test: ##         build and run every test
	@tools/bootstrap test
	$(call configure,build,)
	$(call build,build,all)
	@tools/run-tests --alone build

quick: ##        build and run the tests that end within a second each; under a minute in all
	@tools/bootstrap core
	$(call configure,build,)
	@JOBS=$(JOBS) tools/quick build

verdicts: ##     100 random tests with one cause of error each, explained, and 200 rehearsals beside runs; the suite has a twentieth of them
	@tools/bootstrap core
	$(call configure,build,)
	$(call build,build,program test_random_verdicts)
	@cd build/tests && YOKE_VERDICTS=20 ./test_random_verdicts

energy: ##       every example with a specimen with passivity control: no verdict becomes worse; the suite has a subset
	@tools/bootstrap core
	$(call configure,build,)
	$(call build,build,program)
	@tools/energy-examples build

new-tests: ##    200 random sets of answers to `yoke new`, checked and run; the suite has one of them
	@tools/bootstrap core
	$(call configure,build,)
	$(call build,build,program)
	@tests/e2e/new_tests.py build/yoke 200

certificates: ## 200 random loops: no unstable one is found inside its certificate (lib/certify)
	$(call configure,build,)
	$(call build,build,test_certify_random)
	@build/tests/test_certify_random 200

test-kernels: ## the tests with numbers on other processors: kernels of OpenBLAS, with and without FMA and AVX; ends with a table
	@tools/bootstrap test
	$(call configure,build,)
	$(call build,build,all)
	@tools/test-kernels build

extension-check: ## one method more in every family, one file and one line each; the whole test suite must hold
	@tools/bootstrap core
	@JOBS=$(JOBS) tools/try-extension all

soak: ##         a paced run of SOAK_SECONDS with faults that come and go, a million cycles of EtherCAT, a minute with somebody on the wire
	@tools/bootstrap core
	$(call configure,build,)
	$(call build,build,soak ethercat_soak test_wire_onpath)
	@SOAK_SECONDS=$(SOAK_SECONDS) build/tests/soak
	@build/tests/ethercat_soak
	@YOKE_WIRE_SECONDS=60 build/tests/test_wire_onpath

lint: ##         layout, clang-tidy and cppcheck; a warning is an error
	@tools/bootstrap lint
	$(call configure,build,)
	$(call build,build,revision)
	@tools/lint/run build

format: ##       lay out every C file with clang-format
	@tools/bootstrap lint
	@git ls-files -z --cached --others --exclude-standard '*.c' '*.h' | xargs -0 clang-format -i

sanitize: ##     every test under the address and undefined-behaviour sanitizers
	@tools/bootstrap core
	$(call configure,build-sanitize,$(DEBUG) -DYOKE_SANITIZE=ON)
	$(call build,build-sanitize,all)
	@tools/run-tests build-sanitize

tsan: ##         the tests with threads under the thread sanitizer
	@tools/bootstrap core
	$(call configure,build-tsan,$(DEBUG) -DYOKE_THREAD_SANITIZE=ON)
	$(call build,build-tsan,all)
	@tools/run-tests build-tsan -L threads

fuzz: ##         run every fuzz target for FUZZ_SECONDS
	@tools/bootstrap fuzz
	$(call configure,build-fuzz,$(DEBUG) -DYOKE_FUZZ=ON -DYOKE_TESTS=OFF -DCMAKE_C_COMPILER=clang)
	$(call build,build-fuzz,all)
	@tools/run-fuzz build-fuzz $(FUZZ_SECONDS)

crossings: all ## features of experiments two by two for CROSSINGS_SECONDS: what must hold whatever the combination
	@PYTHONPATH=build/python /usr/bin/python3 tools/crossings.py build/yoke --seconds $(CROSSINGS_SECONDS)

yardsticks: ## programs to compare with (plain C, CHOLMOD, PETSc, SUNDIALS), where their libraries are installed
	@tools/bootstrap core
	@cmake -S . -B build -G Ninja -DYOKE_YARDSTICKS=ON >/dev/null
	$(call build,build,yardsticks)

bench: all yardsticks ## the benchmarks, whole runs and other programs; docs/performance.md from them
	@tools/bench build docs/performance.json
	@tools/performance-page
	@YOKE_MEASURE=1 ctest --test-dir build -R '^test_openfresco$$' --output-on-failure
	$(call build,build,ethercat_soak)
	@SOAK_CYCLES=20000 build/tests/ethercat_soak # an exchange over EtherCAT beside a bare echo

million: all yardsticks ## reduce a solid of a million degrees of freedom on two processes; minutes, 9 GB of memory
	@tools/bench build docs/performance.json --only=million

ranking: all ##  rank every chain on the RTHS benchmark, 200 perturbed plants; writes docs/ranking.md and its pictures
	@tools/make-ranking build/yoke

reproduction: all ## every published case; docs/reproduction.md and docs/errata.md from it
	@build/yoke reproduce --all -o out/reproduce --markdown docs/reproduction.md --errata docs/errata.md

peers: all ##    programs of others, built from the source trees in PEERS=DIR, work together with Yoke; writes docs/peers.md
	@test -n "$(PEERS)" || { echo 'usage: make peers PEERS=DIR, a folder of source trees; see docs/peers.md'; exit 2; }
	@tools/peers/run build "$(PEERS)"

safety-case: ##  docs/safety-case.md from the tables of hazards and faults
	$(call configure,build,)
	$(call build,build,test_safety_case test_fault_table test_bus_faults)
	@build/tests/test_safety_case page > docs/safety-case.md
	@build/tests/test_fault_table phases >> docs/safety-case.md
	@build/tests/test_bus_faults phases >> docs/safety-case.md
	@python3 -B tests/e2e/wire_losses.py page >> docs/safety-case.md

prototypes: all ## expected values of published cases once more, by independent programs (Python with numpy)
	@tests/prototypes/run build/yoke

site: ##         the documentation as pages with search and formulas: build/site/site
	@tools/bootstrap site
	@tools/site/build build/site

coverage: ##     lines and branches that the tests reach
	@tools/bootstrap coverage
	$(call configure,build-coverage,-DCMAKE_BUILD_TYPE=Debug -DYOKE_COVERAGE=ON)
	$(call build,build-coverage,all)
	@find build-coverage -name '*.gcda' -delete
	@GCOV_ERROR_FILE=/dev/null tools/run-tests build-coverage || true # counted code is slow: `make test` judges
	@gcovr --root . --filter src/ --exclude-unreachable-branches --gcov-ignore-parse-errors \
	    --output build-coverage/coverage.txt --print-summary build-coverage
	@echo 'by file: build-coverage/coverage.txt'

deb: ##          Debian packages (yoke, libyoke0, libyoke-dev, python3-yoke, yoke-doc), judged by lintian: build/deb
	@tools/bootstrap deb
	@tools/make-deb build/deb

deb-try: ##      the same, installed and tried in a fresh system (debootstrap, as root)
	@tools/bootstrap deb
	@tools/make-deb build/deb --try

wheel: all ##    the Python module as dist/yoke-VERSION-cp39-abi3-linux_*.whl, with the library inside
	@tools/make-wheel build dist

python-check: ## the tests of the Python module under the address sanitizer
	@tools/bootstrap core
	$(call configure,build-sanitize,$(DEBUG) -DYOKE_SANITIZE=ON)
	$(call build,build-sanitize,python)
	$(call build,build-sanitize,yoke)
	@tools/python-check build-sanitize

install: all ##  program, library, headers, pkg-config, CMake package, manual, completion
	@DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)
	@cp build/install_manifest.txt build/installed.txt

uninstall: ##    remove what `make install` put there
	@test -f build/installed.txt || { echo 'nothing was installed from here'; exit 1; }
	@sed 's|^|$(DESTDIR)|' build/installed.txt | xargs -r -d '\n' rm -fv
	@sed 's|^|$(DESTDIR)|; s|/[^/]*$$||' build/installed.txt | grep '/yoke$$' | sort -u | \
	    xargs -r -d '\n' rmdir --ignore-fail-on-non-empty
	@rm build/installed.txt

clean: ##        remove every build folder
	@rm -rf build build-sanitize build-tsan build-fuzz build-coverage
