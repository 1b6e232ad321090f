import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Node } from '../../ui/src/api/types.ts'
import { type Service, startCluster, startUp } from '../kit/service.ts'
import { until } from '../watch/up-run.ts'
import { overflows, seriousFindings } from './accessibility-checks.ts'
import { type Account, createAccount } from './account.ts'
import { startBrowser, type Visit, visit, withoutBrowser } from './browser.ts'

const nodesOf = async (me: Account): Promise<Node[]> => (await me.ask<{ items: Node[] }>('GET', '/nodes')).items

/** The row of a node, or its card. */
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

async function assertAccessible(page: Page): Promise<void> {
  assert.deepEqual(await seriousFindings(page, async () => {}), [])
  assert.deepEqual(await overflows(page), [])
  await page.setViewportSize({ width: 1280, height: 800 })
}

async function pauseAndResume(page: Page, me: Account): Promise<void> {
  await page.getByRole('button', { name: 'Pause crawl' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Pause crawl' }).click()
  await page.getByRole('alert').getByText('An administrator paused the crawl').waitFor()
  assert.equal((await me.ask<{ isPaused: boolean }>('GET', '/crawl')).isPaused, true)
  await page.getByText('paused', { exact: true }).first().waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Resume crawl' }).click()
  await page.getByText('An administrator paused the crawl').waitFor({ state: 'detached' })
  assert.equal((await me.ask<{ isPaused: boolean }>('GET', '/crawl')).isPaused, false)
}

describe('nodes and the crawl, in a browser', { skip: withoutBrowser }, () => {
  let browser: Browser
  before(async () => {
    browser = await startBrowser()
  })
  after(() => browser?.close())

  async function enter(service: Service): Promise<{ visitor: Visit; me: Account }> {
    const me = await createAccount(service, 'Ada')
    const visitor = await visit(browser, 'desktop')
    await me.enter(visitor.context)
    visitor.page.setDefaultTimeout(20_000)
    await visitor.page.goto(`${service.url}/activity`)
    return { visitor, me }
  }

  test('a single process is shown without drain buttons, and can be paused and resumed', async () => {
    const service = await startUp()
    try {
      const { visitor, me } = await enter(service)
      const { page } = visitor
      await visitor.watched(async () => {
        await page.getByText('A single process does all the work').waitFor()
        assert.equal(await page.getByRole('button', { name: /^Drain/ }).count(), 0)
        await pauseAndResume(page, me)
        assert.deepEqual(visitor.faults, [])
      })
    } finally {
      await service.destroy()
    }
  })

  test('a cluster shows its workers, which can be drained and restored, and the crawl can be paused', async () => {
    const service = await startCluster()
    try {
      const { visitor, me } = await enter(service)
      const { page } = visitor
      const partitionsOf = async (name: string) => (await nodesOf(me)).find((node) => node.name === name)?.partitions
      await visitor.watched(async () => {
        await until('both have half', async () => (await partitionsOf('worker-1')) === 128)
        await rowOf(page, 'worker-2').getByText('running').waitFor()
        await page.getByRole('button', { name: 'Drain worker-1' }).click()
        await page.getByRole('dialog').getByText('hands its 128 partitions').waitFor()
        await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
        assert.equal(await partitionsOf('worker-1'), 128)
        await page.getByRole('button', { name: 'Drain worker-1' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Drain worker-1' }).click()
        await rowOf(page, 'worker-1').getByText('draining').waitFor()
        await until('the other has all', async () => (await partitionsOf('worker-2')) === 256)
        await visitor.picture('nodes-draining')
        await page.getByRole('button', { name: 'Undo drain worker-1' }).click()
        await rowOf(page, 'worker-1').getByText('running').waitFor()
        await until('it has some again', async () => ((await partitionsOf('worker-1')) ?? 0) > 100)
        await pauseAndResume(page, me)
        assert.deepEqual(visitor.faults, [])
      })
    } finally {
      await service.destroy()
    }
  })
})
