const sentence = 'The harbour office reported calm weather, two late ships and the usual price of rope. '

/** About 4 KB of lines. */
export const textOf = (n: number): string =>
  Array.from({ length: 45 }, (_, line) => `${n}.${line} ${sentence}`).join('\r\n')

export const mailOf = (n: number): string =>
  `${[
    'From: Harbour <harbour@example.org>',
    'To: ann@example.org',
    `Subject: Report ${n}`,
    `Message-ID: <report-${n}@example.org>`,
    'Date: Thu, 01 Jan 2026 00:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    textOf(n),
  ].join('\r\n')}\r\n`

export type SampleRow = { id: number; name: string; price: number; seen: string; note: string }

export const rowOf = (n: number): SampleRow => ({
  id: n,
  name: `Rope ${n}`,
  price: n / 4,
  seen: '2026-01-02 03:04:05',
  note: `${sentence}${n}`,
})

/** A feed of 20 entries, about 8 KB. */
export function feedOf(n: number, home: string): string {
  const entries = Array.from(
    { length: 20 },
    (_, entry) =>
      `<item><title>Report ${n}.${entry}</title><link>${home}report/${n}/${entry}</link><guid>${home}report/${n}/${entry}</guid>` +
      `<pubDate>Thu, 01 Jan 2026 00:00:00 GMT</pubDate><description>${sentence.repeat(2)}</description></item>`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel><title>Feed ${n}</title><link>${home}</link><description>Reports</description>\n${entries.join('\n')}\n</channel></rss>\n`
}
