import type { Comparison } from '../../archive/history/compare.ts'
import type { Version } from '../../store/contracts/versions.ts'
import { timeText } from './archive-items.ts'

/** A unified diff, as `patch` reads it. */
export function patchText({ from, to }: { from: Version; to: Version }, { hunks }: Comparison): string {
  const name = ({ url, n, firstSeenAt }: Version) => `${url.replace(/\s/g, '%20')}@${n}\t${timeText(firstSeenAt)}`
  const lines = [`--- ${name(from)}`, `+++ ${name(to)}`]
  for (const { fromLine, fromCount, toLine, toCount, pieces } of hunks) {
    lines.push(`@@ -${span(fromLine, fromCount)} +${span(toLine, toCount)} @@`)
    for (const { kind, text } of pieces) lines.push(signs[kind] + text)
  }
  return `${lines.join('\n')}\n`
}

const signs = { same: ' ', removed: '-', added: '+' } as const

function span(line: number, count: number): string {
  return count === 1 ? `${line}` : `${line},${count}`
}
