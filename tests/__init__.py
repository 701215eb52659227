"""The tests, by what they need.

unit, property, playthroughs    nothing but Python; `make test-fast`
integration, contract           a stack of real processes, which all tests of a run share; `make test-stack`
browser, containers             Chromium or a Docker engine beside it
campaigns, chaos, bench         programs: `make soak`, `make chaos`, `make bench`; `make test` runs samples of them
support                         what the others share: clients of the API and of sessions, processes, the judge
"""
