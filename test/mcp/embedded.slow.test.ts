import { after, before } from 'node:test'
import { secretPage } from '../../src/server/every-route.testkit.ts'
import { ada, createKeptArchive, type KeptArchive } from '../../src/server/routes/archive/archive.testkit.ts'
import { overHttp, overService, overStdio, testMcp } from './mcp-suite.ts'

let kept: KeptArchive

before(async () => {
  kept = await createKeptArchive({ '/secret-plans': { body: secretPage } })
  await kept.annotate(ada, kept.url('/secret-plans'))
})
after(() => kept.close())

testMcp('over HTTP, on a data folder', async () => overHttp(kept))

testMcp('over standard input and output, on a data folder', async () => overStdio(kept, ['--data', kept.folder]))

testMcp('over standard input and output, of a service elsewhere', async () => overService(kept))
