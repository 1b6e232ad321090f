import { setTimeout as sleep } from 'node:timers/promises'
import type { Page, Request } from 'playwright-core'
import type { Clock } from '../../core/clock.ts'
import { AppError, isAppError } from '../../core/errors.ts'
import { registrableDomain } from '../../core/url/partition.ts'
import { fillIn, namesSecret, type RenderStep } from '../../core/url/render-steps.ts'
import type { Secret } from '../../crawl/fetch/protocol.ts'
import type { PageTraffic } from './page-traffic.ts'

/** A page counts as loaded after this long without a request. */
const quietMs = 500
const lookAgainMs = 50
const announcedMs = 3_000

export type PageSteps = {
  go(url: string): Promise<void>
  /** Runs the steps in order; `name` is the name of the list in messages. */
  run(steps: readonly RenderStep[], name: string): Promise<void>
  /** Waits until the page stops loading, at most a third of the timeout, since some pages never stop. */
  quiet(): Promise<void>
  /** Throws if the response for the main document was an error. */
  judge(): void
}

export type PageStepsDeps = {
  page: Page
  traffic: PageTraffic
  clock: Clock
  /** On the monotonic clock; no step waits longer. */
  deadline: number
  timeoutMs: number
  sourceUrl: string
  secret: Secret | null
}

/**
 * Runs the steps of a visit. Errors of the library quote what was typed, so none is passed on: messages are made here, from the step's
 * number and kind. Once credentials were typed, any failure counts as a failed sign-in, which must not be retried again and again.
 */
export function createPageSteps(deps: PageStepsDeps): PageSteps {
  const { page, traffic, clock, secret } = deps
  const sites = new Set([siteOf(deps.sourceUrl)])
  let isSecretTyped = false
  // From the page itself, as it may take a moment until a request reaches us. Some requests never report their end.
  const announced = new Map<Request, number>()
  const isExpecting = () => [...announced.values()].some((at) => clock.monotonic() - at < announcedMs)
  page.on('request', (request) => announced.set(request, clock.monotonic()))
  page.on('requestfinished', (request) => announced.delete(request))
  page.on('requestfailed', (request) => announced.delete(request))

  const left = (): number => Math.max(1, deps.deadline - clock.monotonic())
  /** A single missing element must not use up all the time. */
  const patience = (): number => Math.min(left(), deps.timeoutMs / 3)

  async function go(url: string): Promise<void> {
    try {
      await page.goto(url, { waitUntil: 'commit', timeout: left() })
    } catch (error) {
      // The browser doesn't treat an error response without a body, such as a 404, as a page.
      judge(traffic, secret)
      throw goFailure(error, traffic)
    }
    judge(traffic, secret)
  }

  async function quiet(): Promise<void> {
    const since = clock.monotonic()
    const until = since + patience()
    // After a timeout, the document itself is still incomplete; it is used as it is.
    await page.waitForLoadState('domcontentloaded', { timeout: patience() }).catch(ignoreTimeout)
    while (clock.monotonic() < until) {
      const quietSince = isExpecting() ? null : traffic.quietSince
      if (quietSince !== null && clock.monotonic() - Math.max(since, quietSince) >= quietMs) return
      await sleep(lookAgainMs)
    }
  }

  function typedValue(value: string): string {
    if (!namesSecret(value)) return value
    const filled = fillIn(value, secret)
    if (filled === null) throw new AppError('sign-in-failed', 'A step names credentials that this source does not have')
    const url = page.url()
    if (!sites.has(siteOf(url))) {
      throw new AppError(
        'sign-in-failed',
        `The page has led to ${siteOf(url)}, which is given no credentials. If it is right, name it by a "go" step`,
      )
    }
    isSecretTyped = true
    return filled
  }

  async function take(step: RenderStep): Promise<void> {
    const timeout = patience()
    switch (step.kind) {
      case 'go': {
        const url = new URL(step.url, page.url() === 'about:blank' ? deps.sourceUrl : page.url()).href
        return go(url)
      }
      case 'click':
        return page.locator(`css=${step.selector}`).first().click({ timeout })
      case 'fill': {
        const field = page.locator(`css=${step.selector}`).first()
        await field.waitFor({ timeout })
        return field.fill(typedValue(step.value), { timeout })
      }
      case 'press':
        return page.keyboard.press(step.key)
      case 'wait':
        return page.locator(`css=${step.selector}`).first().waitFor({ state: 'attached', timeout })
      case 'pause':
        await sleep(Math.min(step.ms, left()))
        return
      case 'quiet':
        return quiet()
    }
  }

  return {
    go,
    quiet,
    judge: () => judge(traffic, secret),
    async run(steps, name) {
      for (const step of steps) if (step.kind === 'go' && URL.canParse(step.url)) sites.add(siteOf(step.url))
      for (const [index, step] of steps.entries()) {
        try {
          await take(step)
        } catch (error) {
          if (isAppError(error)) throw error
          throw stepFailure(error, `${name} ${index + 1} ("${step.kind}")`, isSecretTyped)
        }
      }
      judge(traffic, secret)
    },
  }
}

function judge({ main }: PageTraffic, secret: Secret | null): void {
  if (main === null) return
  if (main.failure !== null) throw new AppError(main.failure.code, main.failure.message)
  const { status } = main
  if (status === 404 || status === 410) throw new AppError('not-found', `The server answered with ${status}`)
  if ((status === 401 || status === 403) && secret !== null) {
    throw new AppError('sign-in-failed', `The server answered with ${status}`)
  }
  if (status >= 500) throw new AppError('http-server-error', `The server answered with ${status}`)
  if (status >= 400) throw new AppError('http-client-error', `The server answered with ${status}`)
}

function goFailure(error: unknown, traffic: PageTraffic): AppError {
  const { main } = traffic
  const text = error instanceof Error ? error.message : ''
  if (text.includes('ERR_TOO_MANY_REDIRECTS')) return new AppError('redirect-limit', 'The page redirects without end')
  if (isTimeout(error)) return new AppError('total-timeout', 'The page did not arrive in time')
  if (text.includes('ERR_ABORTED') || text.includes('Download')) {
    const type = main === null || main.mediaType === '' ? '' : ` (${main.mediaType.slice(0, 100)})`
    return new AppError('browser-failed', `There is no page to show${type}; watch it without a browser`, {
      retry: 'never',
    })
  }
  return new AppError('browser-failed', 'The browser could not open the page')
}

function stepFailure(error: unknown, step: string, isSecretTyped: boolean): AppError {
  const text = error instanceof Error ? error.message : ''
  if (/not a valid selector|while parsing (?:css )?selector|Unexpected token/i.test(text)) {
    return new AppError('url-invalid', `${step} does not have a valid CSS selector`)
  }
  const reason = isTimeout(error) ? 'its element did not appear, or could not be used' : 'it could not be done'
  return new AppError(isSecretTyped ? 'sign-in-failed' : 'step-failed', `${step}: ${reason}`)
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'

function ignoreTimeout(error: unknown): void {
  if (!isTimeout(error)) throw error
}

/** Scope in which credentials may be typed: one registrable domain and protocol, so https never falls back to plain text. */
function siteOf(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${registrableDomain(host)}`
}
