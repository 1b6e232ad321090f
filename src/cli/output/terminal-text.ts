import type { Sink } from './io.ts'

/** Created on first use: that takes as long as loading a tenth of the program, and most commands print no counts. */
let counts: Intl.NumberFormat | undefined

/** `1,234,567` in every locale: these lines are compared and pasted into reports. */
export function formatCount(value: number): string {
  counts ??= new Intl.NumberFormat('en')
  return counts.format(value)
}

export function formatSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

/** `42s`, `3m12s`, `5h07m`, `3d4h`: at most two units. */
export function formatSpan(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const two = (value: number) => String(value).padStart(2, '0')
  if (whole < 60) return `${whole}s`
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`
  if (whole < 86_400) return `${Math.floor(whole / 3600)}h${two(Math.floor((whole % 3600) / 60))}m`
  return `${Math.floor(whole / 86_400)}d${Math.floor((whole % 86_400) / 3600)}h`
}

/** Names and types come from servers: they must not control the terminal, reorder its text or flood it. */
export function printable(text: string, maxLength = 80): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
  return short.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '?')
}

/** Lines of two or more columns: the first to the left, the others to the right. */
export function columns(rows: readonly (readonly string[])[], indent = '  '): string[] {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length)
    })
  }
  return rows.map((row) => {
    const cells = row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
    return (indent + cells.join('  ')).trimEnd()
  })
}

/** Soft hyphens and joiners: invisible, and each would show as a question mark. */
const invisible = /[\u00ad\u200b-\u200d\u2060\ufeff]/g

/** Text of a document with its matches in bold. Each part is sanitised by itself, so the codes for bold are the only ones that reach the terminal. */
export function markedText(
  text: string,
  marks: readonly (readonly [from: number, to: number])[],
  isBold: boolean,
): string {
  const safe = (from: number, to: number): string => printable(text.slice(from, to).replace(invisible, ''), 1000)
  if (!isBold) return safe(0, text.length)
  let line = ''
  let at = 0
  for (const [from, to] of marks) {
    if (from < at || from >= text.length) continue
    line += `${safe(at, from)}\u001b[1m${safe(from, to)}\u001b[22m`
    at = Math.min(to, text.length)
  }
  return line + safe(at, text.length)
}

/** `2026-11-01 12:00:05Z`: in UTC, to the second. */
export function momentText(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}Z`
}

/** Text of a document: unchanged in a file, without control characters on a terminal. */
export function documentLines(text: string, { isTTY }: Sink): string {
  return isTTY === true ? text.replace(unsafe, '?') : text
}

/** Control characters except tabs and line ends, lone surrogates, and characters that change the text direction. */
const unsafe = /[[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]--[\t\n]]/gv
