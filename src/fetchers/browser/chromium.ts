import type { Browser, CDPSession } from 'playwright-core'
import { AppError, isAppError } from '../../core/errors.ts'
import { withinLimit } from '../../core/work/race.ts'
import { type BrowserFolder, makeBrowserFolder } from './browser-folder.ts'
import { findBrowser } from './find-browser.ts'
import { killAll, memoryBytes, processOf, processTree } from './process-tree.ts'

/** A request that the browser holds back until it is answered, as the DevTools protocol tells it. */
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

/** A browser that runs for us (`isOwn`), or one that is reached elsewhere and may have other visitors. */
export type RunningBrowser = {
  readonly browser: Browser
  /** Of the browser as a whole. */
  readonly session: CDPSession
  readonly isOwn: boolean
  readonly isAlive: boolean
  /** Every request waits for its answer from here; with null, those of an own browser are refused. */
  answerRequests(answer: ((request: PausedRequest) => void) | null): Promise<void>
  /** 0 where it can't be known. */
  memoryBytes(): number
  /** At once. Of a browser elsewhere, only the connection ends. */
  kill(): Promise<void>
  /** In order, and by force if that takes too long. Never rejects. */
  close(): Promise<void>
}

export type ChromiumOptions = {
  /** '' for the one that is installed. */
  executable: string
  /** Address of a browser elsewhere (DevTools protocol), instead of an own one. */
  cdp: string
  launchTimeoutMs: number
  /** Takes all that is sent past us. */
  proxyUrl: string
}

const closeTimeoutMs = 5_000
const connectAttempts = 4

/** What is passed on of our own environment: there may be secrets in it. */
const passedOn = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'XDG_RUNTIME_DIR', 'FONTCONFIG_PATH', 'FONTCONFIG_FILE']

/**
 * No request of its own, no way past the proxy: not for loopback addresses, not for names (none is resolved), not for WebRTC or QUIC.
 * Without extensions, updates and background services.
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
      // The browser's own blocker keeps most windows from being opened at all.
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

/** While others open and close pages in the browser, connecting may get stuck: then it is tried again. */
async function connect(attempt: () => Promise<Browser>): Promise<Browser> {
  for (let tried = 1; tried < connectAttempts; tried++) {
    const browser = await attempt().catch(() => null)
    if (browser !== null) return browser
  }
  return attempt().catch(() => Promise.reject(failure('The browser at browser.cdp does not answer')))
}

const everyRequest = { patterns: [{ urlPattern: '*' }] }

/** Without a folder, it isn't our own. */
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
        // Others may use the browser too: their requests are held back no longer than need be.
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

/** Without an answer: the page that asked may be gone by now. */
export function refuseRequest(session: CDPSession, requestId: string): void {
  session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }).catch(() => {})
}

/** On its way past us. */
export function letRequestGo(session: CDPSession, requestId: string): void {
  session.send('Fetch.continueRequest', { requestId }).catch(() => {})
}

async function pidOf(session: CDPSession): Promise<number> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  return processInfo.find(({ type }) => type === 'browser')?.id ?? 0
}

/** Playwright rejects if the browser is gone already, which is what is wanted. */
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

/** Playwright appends the browser's whole log; what is wrong is in one of its lines, if anywhere. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  if (/sandbox/i.test(text)) {
    return 'its sandbox is not allowed here. Allow user namespaces, run it elsewhere and set browser.cdp, or run as root in a container'
  }
  return text.split('\n', 1)[0]!.slice(0, 200)
}
