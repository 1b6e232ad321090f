import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { buildUi, isFresh } from '../../scripts/build-ui.ts'
import { type Service, type StartService, startService } from '../kit/service.ts'
import { type ChangingPage, type ChangingPages, createChangingPages } from '../site/handler-site.ts'

const program = process.env.ERACE_TEST_CHROMIUM ?? '/usr/bin/chromium'
/** The same engine without windows: a third of the CPU time, but no notifications. */
const shell = '/usr/bin/chromium-headless-shell'
const lightProgram = process.env.ERACE_TEST_CHROMIUM === undefined && existsSync(shell) ? shell : program
/** False when there is a browser, else why the tests are skipped. */
export const withoutBrowser = existsSync(program)
  ? false
  : `${program} is not installed (or name one in ERACE_TEST_CHROMIUM)`

export const sizes = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
  narrow: { width: 360, height: 740 },
} as const

const artefacts = fileURLToPath(new URL('../../.artefacts/pages/', import.meta.url))

/** `isWhole` asks for a browser that shows notifications. */
type BrowserNeeds = { flags?: readonly string[]; isWhole?: boolean }

/** The machine's real browser, with all background requests off. */
export async function startBrowser({ flags = [], isWhole = false }: BrowserNeeds = {}): Promise<Browser> {
  if (!isFresh()) await buildUi()
  return chromium.launch({
    executablePath: isWhole ? program : lightProgram,
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...flags,
    ],
  })
}

/** The parts of a test in a browser. */
export type Stage = { browser: Browser; service: Service; news: ChangingPages }

/** Starts a browser, a service and a site with these pages before the tests of a block, and ends them afterwards. */
export function useStage(
  pages: Record<string, ChangingPage>,
  start: StartService = startService,
  needs: BrowserNeeds = {},
): Stage {
  const stage = {} as Stage
  before(async () => {
    stage.browser = await startBrowser(needs)
    stage.service = await start()
    stage.news = await createChangingPages(pages)
  })
  after(async () => {
    await stage.browser?.close()
    await stage.service?.destroy()
    await stage.news?.close()
  })
  return stage
}

export type Visit = {
  context: BrowserContext
  page: Page
  /** Errors in the page: script errors, policy violations, console errors. */
  faults: string[]
  /** Takes a screenshot; `way` when size and scheme differ from the visit's. */
  picture(name: string, way?: string): Promise<void>
  /** Takes a screenshot if `work` fails. */
  watched(work: () => Promise<void>): Promise<void>
}

export async function visit(
  browser: Browser,
  size: keyof typeof sizes,
  options: { scheme?: 'light' | 'dark'; permitted?: RegExp } = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: sizes[size], colorScheme: options.scheme ?? 'light' })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' && options.permitted?.test(message.text()) !== true)
      faults.push(`console: ${message.text()} (${message.location().url})`)
  })
  mkdirSync(artefacts, { recursive: true })
  const picture = async (name: string, way = `${size}-${options.scheme ?? 'light'}`): Promise<void> => {
    await page.screenshot({ path: join(artefacts, `${name}-${way}.png`) })
  }
  return {
    context,
    page,
    faults,
    picture,
    async watched(work) {
      try {
        await work()
      } catch (error) {
        await picture('failed')
        throw new Error(`at ${page.url()}, ${JSON.stringify(faults)}`, { cause: error })
      }
    },
  }
}
