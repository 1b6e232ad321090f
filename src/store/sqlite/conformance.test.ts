import { storeSuites } from '../conformance/store-suites.testkit.ts'
import { sqliteEngine } from './testkit/store.testkit.ts'

storeSuites(sqliteEngine)
