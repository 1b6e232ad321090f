import { secretPage, testEveryRoute } from './every-route.testkit.ts'
import { ada, createKeptArchive } from './routes/archive/archive.testkit.ts'

testEveryRoute('embedded', async () => {
  const kept = await createKeptArchive({ '/secret-plans': { body: secretPage } })
  await kept.annotate(ada, kept.url('/secret-plans'))
  return kept
})
