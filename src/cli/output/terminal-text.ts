const counts = new Intl.NumberFormat('en')

/** `1,234,567` whatever the locale: these lines are compared and pasted into reports. */
export function formatCount(value: number): string {
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

/** `42s`, `3m12s`, `5h07m`, `3d4h`: two units say enough. */
export function formatSpan(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const two = (value: number) => String(value).padStart(2, '0')
  if (whole < 60) return `${whole}s`
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`
  if (whole < 86_400) return `${Math.floor(whole / 3600)}h${two(Math.floor((whole % 3600) / 60))}m`
  return `${Math.floor(whole / 86_400)}d${Math.floor((whole % 86_400) / 3600)}h`
}

/** Names and types come from servers: nothing in them may steer the terminal, reorder its text or flood it. */
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
