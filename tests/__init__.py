"""The tests, by what they need.

unit, property, playthroughs    nothing but Python; `make test-fast`
integration, contract           a running stack of real processes, which all tests of a run share; `make test-stack`
browser, containers             beside that Chromium, or a Docker engine
campaigns, chaos, bench         programs: `make soak`, `make chaos`, `make bench`; `make test` runs a sample of the first two
support                         what the others share: clients of the API and of the session service, processes, the judge
"""
