import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { itemOf, messageOf } from '../../src/delivery/render/message.testkit.ts'
import { createSink } from '../../src/delivery/sink.testkit.ts'
import { createSubscriber } from '../../src/delivery/web-push.testkit.ts'
import { pushPayload } from '../../src/delivery/web-push.ts'
import { startService } from '../kit/service.ts'
import { until } from '../watch/up-run.ts'
import { accountOf, createAccount } from './account.ts'
import { useStage, visit, withoutBrowser } from './browser.ts'

type Shown = { title: string; body: string; tag: string; data: unknown }

/** Returns the visible notifications. Runs in the page. */
async function shownThere(): Promise<Shown[]> {
  const { navigator } = globalThis as unknown as {
    navigator: { serviceWorker: { ready: Promise<{ getNotifications(): Promise<Shown[]> }> } }
  }
  const notifications = await (await navigator.serviceWorker.ready).getNotifications()
  return notifications.map(({ title, body, tag, data }) => ({ title, body, tag, data }))
}

/** Simulates a click on a notification. Runs in the service worker. */
async function clickThere(): Promise<void> {
  const { registration, dispatchEvent, NotificationEvent } = globalThis as unknown as {
    registration: { getNotifications(): Promise<Shown[]> }
    dispatchEvent(event: unknown): void
    NotificationEvent: new (name: string, options: { notification: unknown }) => unknown
  }
  const notification = (await registration.getNotifications()).find(({ tag }) => tag === 'm1')
  dispatchEvent(new NotificationEvent('notificationclick', { notification }))
}

/** Passes a text to the service worker, like a browser that has decrypted a message from its push service. */
async function createPusher(page: Page): Promise<(data: string) => Promise<void>> {
  const session: CDPSession = await page.context().newCDPSession(page)
  const found = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [registration] = registrations
      if (registration !== undefined) resolve(registration.registrationId)
    })
  })
  await session.send('ServiceWorker.enable')
  const registrationId = await found
  return async (data) => {
    await session.send('ServiceWorker.deliverPushMessage', { origin: new URL(page.url()).origin, registrationId, data })
  }
}

type Subscribed = { endpoint: string; keys: { p256dh: string; auth: string } }
type Manager = { subscribe(options: { applicationServerKey: string }): Promise<unknown> }

/** Replaces the browser vendor's push service. Runs in the page. */
function subscribeAs(subscribed: Subscribed): void {
  const page = globalThis as unknown as { PushManager: { prototype: Manager }; askedKey: string }
  page.PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    page.askedKey = applicationServerKey
    return { toJSON: () => subscribed, unsubscribe: async () => true }
  }
}

const askedKey = (): string => (globalThis as unknown as { askedKey: string }).askedKey

describe('push messages, in a browser', { skip: withoutBrowser }, () => {
  const stage = useStage({}, startService, { isWhole: true })
  let cookie: string

  before(async () => {
    cookie = (await createAccount(stage.service)).cookie
  })

  test('are shown as one notification each, and a click opens the change', async () => {
    const me = accountOf(stage.service, cookie)
    // The item that this fabricated message opens is not in the inbox.
    const { context, page, faults, watched } = await visit(stage.browser, 'desktop', { permitted: /status of 404/ })
    await context.grantPermissions(['notifications'], { origin: stage.service.url })
    await me.enter(context)
    await watched(async () => {
      await page.goto(`${stage.service.url}/settings`)
      // Messages pushed before the worker is active are lost.
      await page.evaluate(shownThere)
      const push = await createPusher(page)
      const links = { ...itemOf().links, open: `https://elsewhere.example/inbox?state=all&id=7` }
      const payload = pushPayload(messageOf({ items: [itemOf({ links })] }))
      let shown: Shown[] = []
      // A push is lost while the browser still prepares the worker, so each is repeated now and then until its notification appears.
      const pushUntilShown = (id: string, text: string): Promise<void> => {
        let pushAt = 0
        return until(`the notification ${id}`, async () => {
          if (performance.now() >= pushAt) {
            await push(text)
            pushAt = performance.now() + 2_000
          }
          shown = await page.evaluate(shownThere)
          return shown.some(({ tag }) => tag === id)
        })
      }
      await pushUntilShown('m1', payload)
      await push(payload)
      // The worker handles pushes in order: once the next one is shown, the repeat of the first was handled too.
      await pushUntilShown('m2', pushPayload(messageOf({ id: 'm2', items: [itemOf({ links })] })))
      const notification = { title: 'Kettle', body: '€ 39.90 → € 34.50', data: '/inbox?state=all&id=7' }
      assert.deepEqual(
        shown.toSorted((a, b) => a.tag.localeCompare(b.tag)),
        [
          { ...notification, tag: 'm1' },
          { ...notification, tag: 'm2' },
        ],
      )
      await context.serviceWorkers()[0]!.evaluate(clickThere)
      // The URL of the message is on another host; only its path is opened, on ours.
      await page.waitForURL(`${stage.service.url}/inbox?state=all&id=7`)
      await until('the notification to be gone', async () =>
        (await page.evaluate(shownThere)).every(({ tag }) => tag !== 'm1'),
      )

      for (const odd of ['', 'not JSON', '[]', 'null', '{"url":"https://evil.example:x"}']) await push(odd)
      await until('a notification for whatever came', async () => {
        shown = await page.evaluate(shownThere)
        return shown.length > 0
      })
      assert.ok(shown.every(({ data }) => String(data).startsWith('/')))
    })
    assert.deepEqual(faults, [])
    await context.close()
  })

  test('a browser can be added in Settings, and only once', async () => {
    const me = accountOf(stage.service, cookie)
    const sink = await createSink()
    const subscriber = createSubscriber()
    const { context, page, faults, picture, watched } = await visit(stage.browser, 'desktop')
    await context.grantPermissions(['notifications'], { origin: stage.service.url })
    await me.enter(context)
    const { p256dh, auth } = subscriber
    await page.addInitScript(subscribeAs, { endpoint: `${sink.url}/push`, keys: { p256dh, auth } })
    await watched(async () => {
      await page.goto(`${stage.service.url}/settings/notifications`)
      const choose = async (): Promise<void> => {
        await page.getByRole('button', { name: 'Add a channel' }).first().click()
        await page.getByRole('button', { name: 'This browser' }).click()
      }
      await choose()
      await picture('notify-this-browser')
      await page.evaluate(shownThere)
      const confirm = page.getByRole('dialog').getByRole('button', { name: 'Notify this browser' })
      await confirm.click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.getByText('on Linux').first().waitFor()
      const { items } = await me.ask<{ items: { id: string; kind: string; settings: object }[] }>('GET', '/channels')
      assert.deepEqual(
        items.map(({ kind, settings }) => ({ kind, settings })),
        [{ kind: 'webpush', settings: { hasEndpoint: true, hasP256dh: true, hasAuth: true } }],
      )
      // It subscribed with the service's own key, which never changes.
      const asked = await page.evaluate(askedKey)
      const kinds = await me.ask<{ items: { kind: string; publicKey?: string }[] }>('GET', '/channel-kinds')
      assert.equal(asked, kinds.items.find(({ kind }) => kind === 'webpush')!.publicKey)
      assert.equal(Buffer.from(asked, 'base64url').length, 65)

      await choose()
      await page.getByText('This browser is already notified').waitFor()
      assert.ok(await confirm.isDisabled())
    })
    assert.deepEqual(faults, [])
    await context.close()
    await sink.close()
  })
})
