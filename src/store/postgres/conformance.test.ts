import { searchSuite } from '../conformance/search-suite.testkit.ts'
import { storeSuites } from '../conformance/store-suites.testkit.ts'
import { usePostgres } from './testkit/postgres.testkit.ts'
import { postgresEngine, postgresSearch } from './testkit/store.testkit.ts'

usePostgres()
storeSuites(postgresEngine)
searchSuite(postgresSearch)
