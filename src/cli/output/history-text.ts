import type { VersionReport } from '../../core/reports/history-report.ts'
import type { Sink } from './io.ts'
import { formatSize, printable } from './terminal-text.ts'

/** How documents and their versions are told on a terminal. */

/** `2026-11-01 12:00:05Z`: to the second, and still in UTC as everything else. */
export function momentText(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}Z`
}

/** Lines of text from a document. In a file they are as they are; a terminal must not be steered by them. */
export function documentLines(text: string, { isTTY }: Sink): string {
  return isTTY === true ? text.replace(steering, '?') : text
}

/** Control characters but tabs and line ends, half surrogates, and signs that turn the direction of the text. */
const steering = /[[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]--[\t\n]]/gv

export function versionLine({ n, reason, status, type, size, firstSeenAt }: VersionReport): string {
  const content = reason === 'gone' ? `gone, status ${status}` : `${printable(type, 60)}, ${formatSize(size)}`
  return `version ${n} of ${momentText(firstSeenAt)} (${content})`
}

/** Why a version has no body to look at. */
export function absenceText(url: string, version: VersionReport, why: 'gone' | 'dropped' | 'lost' | 'none'): string {
  const name = `version ${version.n} of ${url}`
  const since = momentText(version.firstSeenAt)
  switch (why) {
    case 'gone': {
      const answer = version.location === '' ? `answered with ${version.status}` : `moved to ${version.location}`
      return `${name} says that the document is gone: ${answer} since ${since}; erace history names the versions before`
    }
    case 'dropped':
      return `the body of ${name} was collected; its meta-info is kept: --header, --links and --json show it`
    case 'lost':
      return `the body of ${name} was damaged; the next crawl fetches it again`
    case 'none':
      return `${name} has no body`
  }
}
