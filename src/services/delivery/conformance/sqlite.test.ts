import { sqliteEngine } from '../../../store/sqlite/testkit/store.testkit.ts'
import { deliverySuites } from './suites.testkit.ts'

deliverySuites(sqliteEngine)
