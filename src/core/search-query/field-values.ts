import { domainToASCII } from 'node:url'

/** A day or a moment, in UTC where nothing else is said; null when it is neither. */
export function parseMoment(text: string): number | null {
  const parts =
    /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/i.exec(text)
  if (parts === null) return null
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', zone = 'Z'] = parts
  const moment = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone.toUpperCase()}`)
  if (Number.isNaN(moment)) return null
  // Date.parse takes February 30 for March 2; nobody means that.
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day) ? moment : null
}

/** The host that somebody names: alone, with a port, or as part of a URL. */
export function siteHost(text: string): string | null {
  const named = text
    .replace(/^[a-z][a-z0-9+.-]{0,20}:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^\*?\./, '')
    .replace(/\.$/, '')
  const bare = /^\[([0-9a-f:.]+)\](?::\d+)?$/i.exec(named)?.[1] ?? named.replace(/^([^:]*):\d*$/, '$1')
  if (/^[0-9a-f:.]+$/i.test(bare) && bare.includes(':')) return bare.toLowerCase()
  const host = domainToASCII(bare).toLowerCase()
  return /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(host) && host.length <= 253 ? host : null
}
