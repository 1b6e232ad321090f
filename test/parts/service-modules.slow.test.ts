import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startErace } from '../kit/erace.ts'
import { apiOf, signIn } from '../kit/service.ts'
import { newFolder } from '../site/crawl-run.ts'
import { createSite, pathOfPage } from '../site/site.ts'
import { until } from '../watch/up-run.ts'

const root = { email: 'root@example.org', password: 'long enough for this' }
const PAGES = 12

const module = `
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineModule } from ${JSON.stringify(new URL('../../src/crawl/parts/part.ts', import.meta.url).href)}
export default defineModule({
  name: 'titles',
  async process(page, tools) {
    appendFileSync(join(tools.folder(), 'titles'), new URL(page.url).pathname + ' ' + (await page.title()) + '\\n')
  },
})
`

test('a crawl in the running service passes its pages to the modules', async () => {
  const folder = newFolder()
  const site = await createSite({ pages: PAGES })
  writeFileSync(join(folder, 'titles.ts'), module)
  const output = join(folder, 'out')
  const config = join(folder, 'erace.config.json')
  const settings = { network: { allow: ['127.0.0.0/8'] }, crawl: { delay: '0', delayFactor: 0 } }
  writeFileSync(config, JSON.stringify({ ...settings, parts: { modules: ['./titles.ts'], output } }))
  const service = startErace(['up', '--json', '--port', '0', '--data', join(folder, 'data'), '--config', config], {
    ERACE_ADMIN_EMAIL: root.email,
    ERACE_ADMIN_PASSWORD: root.password,
  })
  try {
    const { url } = await service.ready<{ url: string }>()
    const api = apiOf(() => url)
    const cookie = await signIn(api, root)
    const answer = await api('/crawl', { method: 'POST', cookie, body: { seeds: [`${site.origin()}/`] } })
    const { id } = (await answer.json()) as { id: number }
    assert.equal(answer.status, 202)
    await until('the end of the crawl', async () => {
      const job = (await (await api(`/crawl/${id}`, { cookie })).json()) as { state: string }
      assert.ok(['waiting', 'running', 'finished'].includes(job.state), job.state)
      return job.state === 'finished'
    })
    const titles = (): string[] => readFileSync(join(output, 'titles'), 'utf8').trim().split('\n')
    // A crawl in the service does not wait for modules.
    await until('all titles', () => existsSync(join(output, 'titles')) && titles().length >= PAGES)
    const expected = Array.from({ length: PAGES }, (_, page) => `${pathOfPage(page)} Page ${page} of host 0`)
    assert.deepEqual(titles().sort(), expected.sort())
    assert.equal((await service.stop()).exitCode, 0)
  } finally {
    await service.stop('SIGKILL')
    await site.close()
  }
})
