import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { createMailSink } from '../../src/delivery/agent-worlds.testkit.ts'
import { createSink, type SinkRequest } from '../../src/delivery/sink.testkit.ts'
import type { Channel } from '../../ui/src/api/types.ts'
import { startService } from '../kit/service.ts'
import { createHandlerSite, type HandlerSite } from '../site/handler-site.ts'
import { until } from '../watch/up-run.ts'
import { inspected } from './accessibility-checks.ts'
import { type Account, createAccount, email } from './account.ts'
import { useStage, type Visit, visit, withoutBrowser } from './browser.ts'

type Sink = Awaited<ReturnType<typeof createSink>>
type MailSink = Awaited<ReturnType<typeof createMailSink>>

const fine = { status: 200, body: 'Thanks, taken.' }
const offers = [
  ['39.90', 'In stock'],
  ['34.50', 'Only three left'],
  ['31.00', 'Sold out'],
  ['29.00', 'Back in stock'],
  ['27.50', 'Back in stock, delivered tomorrow'],
  ['25.00', 'Last one'],
] as const

describe('channels, in a browser', { skip: withoutBrowser }, () => {
  let mail: MailSink
  const stage = useStage({}, async () => {
    mail = await createMailSink()
    return startService({
      ERACE_DELIVERY_ALLOW: '127.0.0.0/8',
      ERACE_MAIL_SERVER: mail.url,
      ERACE_MAIL_FROM: 'erace@example.org',
    })
  })
  let sink: Sink
  let site: HandlerSite
  let offer = 0
  let me: Account
  let visitor: Visit
  let page: Page
  let secret: string

  before(async () => {
    sink = await createSink()
    sink.answerWith(fine)
    site = await createHandlerSite((path, response) => {
      const [price, stock] = offers[offer]!
      const body = `<title>Kettle</title><h1>Shop</h1><h2>Kettle</h2><p>Price: € ${price}</p><p>${stock}</p><p>Boils water.</p>`
      response.writeHead(path === '/kettle' ? 200 : 404).end(path === '/kettle' ? body : '')
    })
    me = await createAccount(stage.service)
    visitor = await visit(stage.browser, 'desktop')
    page = visitor.page
    await me.enter(visitor.context)
  })
  after(async () => {
    await visitor?.context.close()
    await sink?.close()
    await mail?.close()
    await site?.close()
  })

  const toChannels = () => page.goto(`${stage.service.url}/settings/notifications`)
  const rowOf = (name: string): Locator => page.locator('.channels-row:has(.channels-actions)', { hasText: name })
  const logged = (text: string): Locator => page.locator('.channels-log > li', { hasText: text })
  const ops = async (): Promise<Channel> =>
    (await me.ask<{ items: Channel[] }>('GET', '/channels')).items.find(({ name }) => name === 'Ops')!
  const changes = (): SinkRequest[] => sink.received.filter(({ body }) => JSON.parse(body).type !== 'test')

  async function add(kind: RegExp, fill: (dialog: Locator) => Promise<void>): Promise<void> {
    await page.getByRole('button', { name: 'Add a channel' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: kind }).click()
    await fill(dialog)
    await dialog.getByRole('button', { name: 'Add channel' }).click()
  }
  async function press(name: string): Promise<string> {
    await page.getByRole('button', { name: `Send a test to ${name}` }).click()
    const answer = rowOf(name).locator('.kit-notice')
    await answer.waitFor()
    return answer.innerText()
  }
  /** Changes the page and checks it. */
  async function change(): Promise<void> {
    offer++
    await me.checkAll()
  }

  test('a webhook and an email channel can be added, and test messages show the real responses', (t) =>
    visitor.watched(async () => {
      await toChannels()
      await page.getByText('No channels yet').waitFor()
      await add(/^Webhook/, async (dialog) => {
        await dialog.getByLabel('Name').fill('Ops')
        await dialog.getByLabel('Address').fill(`${sink.url}/hook`)
      })
      secret = await page.getByRole('textbox', { name: 'Signing secret' }).inputValue()
      await page.getByRole('button', { name: 'Done' }).click()
      await add(/^Email/, async (dialog) => {
        await dialog.getByLabel('Name').fill('Letters')
        assert.equal(await dialog.getByLabel(/^To/).inputValue(), email)
      })
      await rowOf('Letters').waitFor()

      const answers = [await press('Ops'), await press('Letters')]
      sink.answerWith({ status: 500, body: 'The disk is full.' })
      answers.push(await press('Ops'))
      sink.answerWith(fine)
      assert.deepEqual(answers, [
        'Delivered. The answer: status 200: Thanks, taken.',
        'Delivered. The answer: 250 queued as 42',
        'Not delivered. It may work later: status 500: The disk is full.',
      ])
      for (const answer of answers) t.diagnostic(answer)
      assert.equal(mail.received.length, 1)
      assert.match(mail.received[0]!, /^Subject: Test message from eRACE$/m)
      for (const request of sink.received) assertSigned(request, secret)
      assert.deepEqual(await inspected(visitor, 'channels-tested'), [])
    }))

  test('a profile with both channels delivers its change to both', (t) =>
    visitor.watched(async () => {
      await page.goto(`${stage.service.url}/profiles/new`)
      await page.getByLabel('Name').fill('Kettles')
      await page.getByLabel('Address').fill(`${site.origin}/kettle`)
      await page.getByLabel('Ops').check()
      await page.getByLabel('Letters').check()
      await page.getByLabel('How much').selectOption('What changed')
      assert.equal(await page.getByLabel('How often').inputValue(), 'immediate')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('“Kettles” saved').waitFor()
      await me.visited()
      assert.equal(changes().length, 0, 'the first visit is no news')

      await change()
      await until('the change at the webhook and in the mail', () => changes().length > 0 && mail.received.length > 1)
      const [request] = changes()
      assertSigned(request!, secret)
      const { subject, data } = JSON.parse(request!.body)
      assert.match(subject, /Kettle.*€ 39\.90 → € 34\.50/)
      assert.equal(data[0].profile.name, 'Kettles')
      assert.match(data[0].summary.text, /€ 39\.90 → € 34\.50.*In stock → Only three left/)
      const letter = mail.received[1]!
      assert.match(letter, new RegExp(`^RCPT TO:<${email}>$`, 'm'))
      assert.ok(letter.includes(`\nSubject: ${subject}\n`), letter)
      assert.match(letter, /39\.90.*34\.50/)
      showReceived(t, request!, letter)

      await toChannels()
      await logged(subject).nth(1).waitFor()
      const entries = (await page.locator('.channels-log > li').allInnerTexts()).map((text) =>
        text.split(/\n+/).slice(0, 3),
      )
      assert.deepEqual(entries.toSorted(), [
        [subject, 'Sent', '250 queued as 42'],
        [subject, 'Sent', 'status 200: Thanks, taken.'],
        ['Test message from eRACE', 'Failed', 'status 500: The disk is full.'],
        ['Test message from eRACE', 'Sent', '250 queued as 42'],
        ['Test message from eRACE', 'Sent', 'status 200: Thanks, taken.'],
      ])
      assert.equal(await page.getByRole('button', { name: 'Send again' }).count(), 0, 'a test is not sent again')
      assert.deepEqual(await inspected(visitor, 'channels-log'), [])
    }))

  test('a failing receiver pauses its channel with a reason until it works again', (t) =>
    visitor.watched(async () => {
      // A refusal isn't retried, so there are two failures without a pause; the third makes the channel fail.
      sink.answerWith({ status: 400, body: 'No such automation.' })
      for (const failures of [1, 2]) {
        await change()
        await until(`failure ${failures}`, async () => (await ops()).failures === failures)
      }
      await rowOf('Ops').getByText('Retrying').waitFor()
      sink.answerWith({ status: 503, body: 'Down for maintenance.' })
      await change()
      // Updated by a live event, without a page load.
      await rowOf('Ops').getByText('Failing').waitFor()
      const trouble = await rowOf('Ops').locator('.channels-trouble').innerText()
      assert.match(trouble, /didn't arrive: status 503: Down for maintenance\. Next try at \d\d:\d\d\./)
      t.diagnostic(trouble.split('\n', 1)[0]!)
      await rowOf('Letters').getByText('Working').waitFor()
      assert.deepEqual(await inspected(visitor, 'channels-failing'), [])

      await page.getByRole('link', { name: /^Inbox/ }).click()
      const banner = page.locator('.inbox-banner')
      await banner.getByText('The channel “Ops” is failing: status 503: Down for maintenance. Next try at').waitFor()
      t.diagnostic(await banner.locator('p').innerText())
      assert.deepEqual(await inspected(visitor, 'inbox-banner'), [])
      await banner.getByRole('link', { name: 'Details' }).click()

      const waiting = changes().at(-1)!
      const arrived = changes().length
      sink.answerWith(fine)
      assert.equal(await press('Ops'), 'Delivered. The answer: status 200: Thanks, taken.')
      await until('what waited', () => changes().length > arrived)
      await rowOf('Ops').getByText('Working').waitFor()
      const repeat = changes().at(-1)!
      assert.equal(repeat.headers['webhook-id'], waiting.headers['webhook-id'])
      assert.equal(repeat.body, waiting.body)
      t.diagnostic(`repeated as ${repeat.headers['webhook-id']}: ${summaryOf(repeat)}`)
      await page.getByRole('link', { name: /^Inbox/ }).click()
      await page.locator('.inbox-row').first().waitFor()
      await banner.waitFor({ state: 'detached' })
    }))

  test('a rejected message can be resent from the log under the same id', (t) =>
    visitor.watched(async () => {
      await toChannels()
      await page.getByRole('button', { name: 'Failed', exact: true }).click()
      const refused = page
        .locator('.channels-log > li')
        .filter({ has: page.getByRole('button', { name: 'Send again' }) })
      await refused.nth(1).waitFor()
      await refused.first().getByText('status 400: No such automation.').waitFor()
      const ids = changes()
        .filter((request) => /34\.50 → € 31\.00|31\.00 → € 29\.00/.test(summaryOf(request)))
        .map(({ headers }) => headers['webhook-id'])
      assert.equal(ids.length, 2)
      const arrived = changes().length
      // The newest comes first; the other one remains.
      await refused.first().getByRole('button', { name: 'Send again' }).click()
      await refused.nth(1).waitFor({ state: 'detached' })
      await until('it again', () => changes().length > arrived)
      const again = changes().at(-1)!
      assert.equal(again.headers['webhook-id'], ids[1])
      t.diagnostic(`sent again as ${ids[1]}: ${summaryOf(again)}`)
      await page.getByRole('button', { name: 'Sent', exact: true }).click()
      await logged('Kettle').filter({ hasText: 'status 200: Thanks, taken.' }).nth(2).waitFor()
    }))

  test('the next digest can be previewed as it will be sent', (t) =>
    visitor.watched(async () => {
      await page.goto(`${stage.service.url}/profiles`)
      await page.getByRole('link', { name: 'Kettles' }).click()
      await page.getByLabel('How often').selectOption('daily')
      // Half a day from now.
      const hour = String((new Date().getUTCHours() + 12) % 24).padStart(2, '0')
      await page.getByLabel('Time', { exact: true }).fill(`${hour}:00`)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('“Kettles” saved').waitFor()
      const letters = mail.received.length
      await change()
      await toChannels()
      await rowOf('Letters')
        .getByText(/1 waiting/)
        .waitFor()
      await page.getByRole('button', { name: 'Actions for Letters' }).click()
      await page.getByRole('menuitem', { name: 'Preview next message' }).click()
      const preview = page.getByRole('dialog')
      await preview.getByText(/^Leaves at .*unless you read it before/).waitFor()
      await preview.getByRole('heading', { name: 'Kettles' }).waitFor()
      const shown = await preview.locator('.channels-digest').innerText()
      assert.match(shown, /€ 27\.50 → € 25\.00/)
      for (const line of shown.split('\n')) t.diagnostic(line)
      await preview.getByText('As plain text').click()
      assert.match(await preview.locator('pre').innerText(), /€ 27\.50 → .*€ 25\.00/)
      assert.deepEqual(await inspected(visitor, 'channels-preview'), [])
      assert.equal(mail.received.length, letters, 'nothing has left')
      assert.deepEqual(visitor.faults, [])
    }))
})

const summaryOf = ({ body }: SinkRequest): string => JSON.parse(body).data[0].summary.text

/** Verifies the signature like a receiver, without using the agents' code. */
function assertSigned({ headers, body }: SinkRequest, secret: string): void {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
}

function showReceived(t: TestContext, { method, path, headers, body }: SinkRequest, letter: string): void {
  t.diagnostic(`${method} ${path}, webhook-id ${headers['webhook-id']}, ${headers['webhook-signature']}`)
  t.diagnostic(body)
  for (const line of letter
    .split('\n')
    .filter((line) => /^(?:MAIL FROM|RCPT TO|Subject|To|List-Unsub)|^ .*→/.test(line)))
    t.diagnostic(line)
}
