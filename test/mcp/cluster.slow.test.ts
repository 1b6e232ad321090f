import { after, before } from 'node:test'
import { usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { createClusterArchive } from '../cluster/routes-archive.ts'
import { overHttp, overStdio, testMcp } from './mcp-suite.ts'

let archive: Awaited<ReturnType<typeof createClusterArchive>>

before(async () => {
  archive = await createClusterArchive()
})
after(() => archive.close())

testMcp('over HTTP, in a cluster', async () => overHttp(archive))

testMcp('over standard input and output, in a cluster', async () => overStdio(archive, ['--store', archive.address]))

// Hooks run in the order of registration: PostgreSQL stops last.
usePostgres()
