import { usePostgres } from '../../../store/postgres/testkit/postgres.testkit.ts'
import { postgresEngine } from '../../../store/postgres/testkit/store.testkit.ts'
import { deliverySuites } from './suites.testkit.ts'

usePostgres()
deliverySuites(postgresEngine)
