import { strings } from './strings.ts'

/** The subscription data that the server needs to push to this browser. */
export type PushSettings = { endpoint: string; p256dh: string; auth: string }

export type Subscribing =
  | { kind: 'subscribed'; settings: PushSettings; undo: () => Promise<unknown> }
  /** This browser has no service worker or no push, or the pages came over plain HTTP. */
  | { kind: 'unsupported' }
  | { kind: 'denied' }
  /** The browser vendor's push service refused. */
  | { kind: 'failed'; reason: string }

/** Asks for permission, so it must follow a click. */
export async function subscribe(publicKey: string): Promise<Subscribing> {
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    return { kind: 'unsupported' }
  const registration = await navigator.serviceWorker.getRegistration()
  if (registration === undefined) return { kind: 'unsupported' }
  if ((await Notification.requestPermission()) !== 'granted') return { kind: 'denied' }
  try {
    const { pushManager } = await navigator.serviceWorker.ready
    // A subscription with another key, such as from before the server was reinstalled, would block this one.
    await (await pushManager.getSubscription())?.unsubscribe()
    const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
    const { endpoint = '', keys = {} } = subscription.toJSON()
    const settings = { endpoint, p256dh: keys.p256dh ?? '', auth: keys.auth ?? '' }
    return { kind: 'subscribed', settings, undo: () => subscription.unsubscribe() }
  } catch (error) {
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) }
  }
}

const KEPT_AS = 'erace-push-channel'

/** The channel that pushes to this browser; it may be gone, or another user's. */
export const pushChannel = {
  id: (): string | null => localStorage.getItem(KEPT_AS),
  keep: (id: string): void => localStorage.setItem(KEPT_AS, id),
}

/** A readable browser name, such as "Firefox on Linux". */
export function browserName(agent: string): string {
  const browsers: [RegExp, string][] = [
    [/Edg\//, 'Edge'],
    [/OPR\//, 'Opera'],
    [/Firefox\//, 'Firefox'],
    [/Chrome\//, 'Chrome'],
    [/Safari\//, 'Safari'],
  ]
  const systems: [RegExp, string][] = [
    [/Android/, 'Android'],
    [/iPhone|iPad/, 'iOS'],
    [/Windows/, 'Windows'],
    [/Mac OS X/, 'macOS'],
    [/Linux|CrOS/, 'Linux'],
  ]
  const nameIn = (list: [RegExp, string][]): string | undefined => list.find(([sign]) => sign.test(agent))?.[1]
  const names = [nameIn(browsers), nameIn(systems)].filter((name) => name !== undefined)
  return names.length === 0 ? strings.browser.unnamed : names.join(strings.browser.on)
}
