import type { Browser, CDPSession } from 'playwright-core'
import { AppError, isAppError } from '../../core/errors.ts'
import { withinLimit } from '../../core/work/race.ts'
import { type BrowserFolder, makeBrowserFolder } from './browser-folder.ts'
import { findBrowser } from './find-browser.ts'
import { killAll, memoryBytes, processOf, processTree } from './process-tree.ts'

/** A request that the browser has paused until it is answered, as in the DevTools protocol. */
export type PausedRequest = {
  requestId: string
  frameId: string
  resourceType: string
  networkId?: string
  redirectedRequestId?: string
  request: {
    url: string
    method: string
    headers: Record<string, string>
    hasPostData?: boolean
    postDataEntries?: { bytes?: string }[]
  }
}

/** A browser started by us (`isOwn`), or a remote one that others may use, too. */
export type RunningBrowser = {
  readonly browser: Browser
  /** DevTools session of the whole browser. */
  readonly session: CDPSession
  readonly isOwn: boolean
  readonly isAlive: boolean
  /** Sets the handler of all paused requests. With null, those of an own browser are refused. */
  answerRequests(answer: ((request: PausedRequest) => void) | null): Promise<void>
  /** 0 if unknown. */
  memoryBytes(): number
  /** Immediately. For a remote browser, only closes the connection. */
  kill(): Promise<void>
  /** Gracefully, and by force if that takes too long. Never rejects. */
  close(): Promise<void>
}

export type ChromiumOptions = {
  /** '' for the installed one. */
  executable: string
  /** Address of a remote browser (DevTools protocol), to use instead of starting one. */
  cdp: string
  launchTimeoutMs: number
  /** Receives everything that bypasses our interception. */
  proxyUrl: string
}

const closeTimeoutMs = 5_000
const connectAttempts = 4

/** Environment variables to pass on; others may hold secrets. */
const passedOn = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'XDG_RUNTIME_DIR', 'FONTCONFIG_PATH', 'FONTCONFIG_FILE']

/**
 * The browser makes no requests of its own and can't bypass the proxy: not for loopback addresses, not for names (none is resolved), not
 * with WebRTC or QUIC. No extensions, updates or background services.
 */
const flags = (proxyUrl: string): string[] => [
  `--proxy-server=${proxyUrl}`,
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--dns-prefetch-disable',
  '--no-pings',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-domain-reliability',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-notifications',
  '--disable-print-preview',
  '--mute-audio',
]

/** Starts a browser, or connects to one. Throws `browser-missing` or `browser-failed`. */
export async function startChromium(options: ChromiumOptions): Promise<RunningBrowser> {
  const { chromium } = await import('playwright-core')
  const { cdp, launchTimeoutMs: timeout } = options
  if (cdp !== '') {
    return attach(await connect(() => chromium.connectOverCDP(cdp, { timeout: timeout / connectAttempts })), null)
  }
  const executablePath = findBrowser(options.executable)
  const folder = await makeBrowserFolder()
  try {
    const context = await chromium.launchPersistentContext(folder.profile, {
      executablePath,
      args: flags(options.proxyUrl),
      // The browser's own pop-up blocker prevents most windows.
      ignoreDefaultArgs: ['--disable-popup-blocking'],
      chromiumSandbox: process.getuid?.() !== 0,
      env: environment(folder.temporary),
      artifactsDir: folder.temporary,
      handleSIGHUP: false,
      handleSIGINT: false,
      handleSIGTERM: false,
      timeout,
    })
    return await attach(context.browser()!, folder)
  } catch (error) {
    await folder.remove()
    throw isAppError(error) ? error : failure(`${executablePath} did not start: ${reasonOf(error)}`)
  }
}

/** Retries: connecting may hang while others open and close pages in the browser. */
async function connect(attempt: () => Promise<Browser>): Promise<Browser> {
  for (let tried = 1; tried < connectAttempts; tried++) {
    const browser = await attempt().catch(() => null)
    if (browser !== null) return browser
  }
  return attempt().catch(() => Promise.reject(failure('The browser at browser.cdp does not answer')))
}

const everyRequest = { patterns: [{ urlPattern: '*' }] }

/** `folder` is null for a remote browser. */
async function attach(browser: Browser, folder: BrowserFolder | null): Promise<RunningBrowser> {
  const isOwn = folder !== null
  const over = new Promise<void>((resolve) => {
    browser.on('disconnected', () => resolve())
  })
  try {
    const session = await browser.newBrowserCDPSession()
    const root = processOf(isOwn ? await pidOf(session) : 0)
    let answering: ((request: PausedRequest) => void) | null = null
    session.on('Fetch.requestPaused', (paused: PausedRequest) => {
      if (answering !== null) answering(paused)
      else if (isOwn) refuseRequest(session, paused.requestId)
      else letRequestGo(session, paused.requestId)
    })
    if (isOwn) await session.send('Fetch.enable', everyRequest)
    return {
      browser,
      session,
      isOwn,
      get isAlive() {
        return browser.isConnected()
      },
      async answerRequests(answer) {
        answering = answer
        // Others may use the browser, too: don't pause their requests longer than necessary.
        if (isOwn) return
        if (answer === null) await session.send('Fetch.disable')
        else await session.send('Fetch.enable', everyRequest)
      },
      memoryBytes: () => (isOwn ? memoryBytes(processTree(root)) : 0),
      async kill() {
        if (isOwn) killAll(processTree(root))
        else await closeWithin(browser)
        await withinLimit(over, closeTimeoutMs, () => {})
      },
      async close() {
        const tree = isOwn ? processTree(root) : []
        await closeWithin(browser)
        killAll(tree)
        await folder?.remove()
      },
    }
  } catch {
    await closeWithin(browser)
    throw failure('The browser ended while it started')
  }
}

/** Fails a request. Errors are ignored: the page may be gone by now. */
export function refuseRequest(session: CDPSession, requestId: string): void {
  session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }).catch(() => {})
}

/** Lets the browser make the request itself. */
export function letRequestGo(session: CDPSession, requestId: string): void {
  session.send('Fetch.continueRequest', { requestId }).catch(() => {})
}

async function pidOf(session: CDPSession): Promise<number> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  return processInfo.find(({ type }) => type === 'browser')?.id ?? 0
}

/** Playwright rejects if the browser is gone already, which is fine. */
const closeWithin = (browser: Browser): Promise<void> =>
  withinLimit(
    browser.close().catch(() => {}),
    closeTimeoutMs,
    () => {},
  )

function environment(temporary: string): Record<string, string> {
  const given = Object.entries(process.env).filter((entry): entry is [string, string] => passedOn.includes(entry[0]))
  return { ...Object.fromEntries(given), TMPDIR: temporary }
}

const failure = (message: string): AppError => new AppError('browser-failed', message)

/** Playwright appends the browser's whole log to the message; the reason is in one of its lines, if at all. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  if (/sandbox/i.test(text)) {
    return 'its sandbox is not allowed here. Allow user namespaces, run it elsewhere and set browser.cdp, or run as root in a container'
  }
  return text.split('\n', 1)[0]!.slice(0, 200)
}
