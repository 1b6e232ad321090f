import type { PreviewExample, PreviewPart, PreviewReport } from '../../core/reports/profile-report.ts'
import type { FileError, FileProfile } from '../../services/profiles/profile-file.ts'
import { type CommandContext, exitCodes } from '../command.ts'
import { createInterrupt } from '../interrupt.ts'
import { createStatusLine } from '../output/status-line.ts'
import { formatCount, markedText, momentText, printable } from '../output/terminal-text.ts'

export const defaultPreview = { documents: 1000, examples: 5 } as const

export type PreviewSettings = {
  file: string
  items: readonly FileProfile[]
  notes: readonly FileError[]
  documents: number
  examples: number
}

/** Matches the profiles of a file against the archive and shows what they would have found. */
export async function previewFile(context: CommandContext, settings: PreviewSettings): Promise<number> {
  const { target, engine, io, json, quiet, clock } = context
  const { file, items, notes, documents, examples } = settings
  const line = createStatusLine(io.stderr)
  const shows = io.stderr.isTTY === true && !quiet
  const interrupt = createInterrupt({ io, clock })
  const profiles = items.map(({ profile }) => profile)
  const of = profiles.length === 1 ? '' : ` of ${formatCount(profiles.length)}`
  try {
    const previews = await engine.previewProfiles(
      target,
      profiles,
      { documents, examples },
      {
        signal: interrupt.signal,
        onProgress({ profile, looked, matched }) {
          if (shows)
            line.draw([
              `profile ${profile + 1}${of}`,
              `${formatCount(looked)} checked`,
              `${formatCount(matched)} match`,
            ])
        },
      },
    )
    line.clear()
    if (json) io.stdout.write(`${JSON.stringify({ file, previews, notes })}\n`)
    else io.stdout.write(previews.map((preview) => previewText(preview, io.stdout.isTTY === true)).join('\n'))
    return interrupt.signal.aborted ? exitCodes.interrupted : exitCodes.done
  } finally {
    line.clear()
    interrupt.dispose()
  }
}

function previewText({ name, covered, everything, tookMs }: PreviewReport, isBold: boolean): string {
  const lines = [`${printable(name, 200)} (${formatCount(tookMs)} ms)`]
  if (everything === null) {
    lines.push(...partLines('in its sources', covered, isBold))
    lines.push('  by host and scope: the archive does not record link depth')
  } else {
    lines.push(`  ${coverlessText(covered)}`, ...partLines('in the whole archive', everything, isBold))
  }
  return `${lines.join('\n')}\n`
}

function coverlessText({ looked, end }: PreviewPart): string {
  const reason = end === 'all' ? '' : ` among the newest ${formatCount(looked)}`
  return `nothing archived from its sources yet${reason}`
}

function partLines(what: string, part: PreviewPart, isBold: boolean): string[] {
  const { documents, matched, examples } = part
  const head = `  ${what}: ${formatCount(matched)} of the newest ${formatCount(documents)} documents match`
  const lines = [head, ...skippedLines(part), ...endLines(part)]
  for (const example of examples) lines.push('', ...exampleLines(example, isBold))
  if (examples.length > 0) lines.push('')
  return lines
}

function skippedLines({ passedOver }: PreviewPart): string[] {
  const names = { gone: 'gone', textless: 'without text', dropped: 'body removed', lost: 'lost', damaged: 'damaged' }
  const counts = (Object.keys(names) as (keyof typeof names)[])
    .filter((name) => passedOver[name] > 0)
    .map((name) => `${formatCount(passedOver[name])} ${names[name]}`)
  return counts.length === 0 ? [] : [`  skipped: ${counts.join(', ')}`]
}

function endLines({ looked, end }: PreviewPart): string[] {
  if (end === 'time') return [`  time limit reached after the newest ${formatCount(looked)}`]
  return end === 'stopped' ? [`  stopped after the newest ${formatCount(looked)}`] : []
}

function exampleLines({ url, n, at, title, relevance, summary }: PreviewExample, isBold: boolean): string[] {
  const head = title.trim() === '' ? printable(url, 200) : printable(title, 200)
  const lines = [
    `  ${Number(relevance.toPrecision(6))}  ${head}`,
    `     ${printable(url, 500)}@${n}  ${momentText(at)}`,
  ]
  if (summary.text !== '') lines.push(`     ${markedText(summary.text, summary.marks, isBold)}`)
  return lines
}
