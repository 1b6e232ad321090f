import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { sizes, type Visit } from './browser.ts'
import { overflowAt } from './in-page.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Findings = Pick<AxeResults, 'violations'>
type Way = { size: 'desktop' | 'phone'; scheme: 'light' | 'dark' }

/** Size and colour scheme are independent, so two combinations cover both sizes and both schemes. */
const ways: readonly Way[] = [
  { size: 'desktop', scheme: 'light' },
  { size: 'phone', scheme: 'dark' },
]

/** All faults of the page's current view, with screenshots. Resets the size to desktop afterwards. */
export async function inspected({ page, picture }: Pick<Visit, 'page' | 'picture'>, name: string): Promise<string[]> {
  const found = [
    ...(await seriousFindings(page, ({ size, scheme }) => picture(`view-${name}`, `${size}-${scheme}`))),
    ...(await overflows(page)),
  ]
  await page.setViewportSize(sizes.desktop)
  return found.map((finding) => `${name}: ${finding}`)
}

/** Serious and critical findings of axe in both sizes and schemes. */
export async function seriousFindings(page: Page, pictured: (way: Way) => Promise<void>): Promise<string[]> {
  const found = new Set<string>()
  for (const way of ways) {
    await page.setViewportSize(sizes[way.size])
    await page.emulateMedia({ colorScheme: way.scheme, reducedMotion: 'reduce' })
    for (const finding of await findings(page, way)) found.add(finding)
    await pictured(way)
  }
  return [...found]
}

async function findings(page: Page, { size, scheme }: Way): Promise<string[]> {
  // Exclude frames, which show third-party pages.
  await page.evaluate(`globalThis.axe === undefined && (() => { ${axe} })()`)
  const { violations } = await page.evaluate<Findings>(() => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    return axe.run({ exclude: ['iframe'] }, { iframes: false, resultTypes: ['violations'] })
  })
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes
        .slice(0, 3)
        .map(({ html, failureSummary }) => `${size} ${scheme} ${id}: ${html.slice(0, 200)} ${failureSummary}`),
    )
}

/**
 * The smallest phone, a desktop at 200 %, and a phone with text at 200 %: by text size, and by browser zoom, where the phone is
 * half as wide.
 */
const textSizes = [
  { width: 360, text: 100 },
  { width: 640, text: 100 },
  { width: 390, text: 200 },
  { width: 195, text: 100 },
]

/** The sizes at which the page is wider than its window, and what overflows. */
export async function overflows(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const { width, text } of textSizes) {
    await page.setViewportSize({ width, height: 740 })
    const wide = await overflowAt(page, text)
    if (wide !== null) found.push(`at ${width} px and ${text} % text: ${wide}`)
  }
  await overflowAt(page, 100)
  return found
}
