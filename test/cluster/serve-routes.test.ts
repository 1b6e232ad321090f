import { testEveryRoute } from '../../src/server/every-route.testkit.ts'
import { usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { createClusterArchive } from './routes-archive.ts'

testEveryRoute('cluster', createClusterArchive)

// Hooks run in the order of registration: PostgreSQL stops last.
usePostgres()
