import { formatDuration, parseDuration } from '../../../config/quantities.ts'
import type { NotificationSettings } from '../../../core/account.ts'
import { cadenceExamples, readCadence, readTime, timeText } from '../../../core/delivery/cadence.ts'
import { deliveryDefaults, type ProfileDelivery } from '../../../core/profile.ts'
import { isZone } from '../../../core/time/zone-offset.ts'
import { type PlainRecord, type PlainValues, shown } from './plain-values.ts'

const MAX_CHANNELS = 50
const MAX_CHANNEL_ID = 200
const deliveryKeys = ['channels', 'cadence', 'quiet', 'perHour', 'urgentFrom', 'escalation']
const notificationKeys = ['quiet', 'urgentFrom', 'perHour']
export const urgencies = { min: 0.1, max: 100 }
const hourly = { min: 1, max: 1000, whole: true }
const escalations = { minMs: 60_000, maxMs: 7 * 86_400_000 }

/** What is wrong with a delivery channel; null if the owner has it. */
export type CheckChannel = (id: string) => string | null

export function readDeliveryValues(value: unknown, checkChannel: CheckChannel, values: PlainValues): ProfileDelivery {
  const given = values.record(value, 'delivery', deliveryKeys)
  const readChannel = (channel: unknown, place: string): string => {
    if (isAbsent(channel)) values.reject(place, 'is missing')
    const id = values.text(channel, place, { max: MAX_CHANNEL_ID })
    const fault = id === undefined ? null : checkChannel(id)
    if (fault !== null) values.reject(place, fault)
    return id ?? ''
  }
  const named = values
    .list(given.channels, 'delivery.channels', MAX_CHANNELS)
    .map((channel, index) => readChannel(channel, `delivery.channels[${index}]`))
  const channels = isAbsent(given.channels) ? [...deliveryDefaults.channels] : [...new Set(named)]
  return {
    channels,
    cadence: readCadenceValue(given.cadence, values),
    quiet: readQuietWithZone(given.quiet, values),
    perHour: values.number(given.perHour, 'delivery.perHour', hourly) ?? null,
    urgentFrom: values.number(given.urgentFrom, 'delivery.urgentFrom', urgencies) ?? null,
    escalation: readEscalation(given.escalation, channels, readChannel, values),
  }
}

/** Account-wide defaults for all its profiles. */
export function readNotificationValues(value: unknown, values: PlainValues): NotificationSettings {
  const given = values.record(value, 'notifications', notificationKeys)
  const place = 'notifications.quiet'
  return {
    quiet: isAbsent(given.quiet) ? null : readHours(values.record(given.quiet, place, ['from', 'to']), place, values),
    urgentFrom: values.number(given.urgentFrom, 'notifications.urgentFrom', urgencies) ?? null,
    perHour: values.number(given.perHour, 'notifications.perHour', hourly) ?? null,
  }
}

function readCadenceValue(value: unknown, values: PlainValues): string {
  const text = values.text(value, 'delivery.cadence', { max: 100 })
  if (text === undefined) return deliveryDefaults.cadence
  if (readCadence(text) === null)
    values.reject('delivery.cadence', `${shown(text)} can't be read; expected ${cadenceExamples}`)
  return text.trim().toLowerCase().replace(/\s+/g, ' ')
}

function readQuietWithZone(value: unknown, values: PlainValues): ProfileDelivery['quiet'] {
  if (isAbsent(value)) return null
  const place = 'delivery.quiet'
  const given = values.record(value, place, ['zone', 'from', 'to'])
  const zone = values.text(given.zone, `${place}.zone`, { max: 64, mayBeEmpty: true }) ?? ''
  if (zone !== '' && !isZone(zone))
    values.reject(`${place}.zone`, `${shown(zone)} is not a time zone; expected a name such as Europe/Nicosia`)
  return { zone, ...readHours(given, place, values) }
}

function readHours(given: PlainRecord, place: string, values: PlainValues): { from: string; to: string } {
  const time = (name: 'from' | 'to'): string => {
    const text = given[name]
    const minute = typeof text === 'string' && text.length <= 20 ? readTime(text) : null
    if (minute !== null) return timeText(minute)
    const message = isAbsent(text) ? 'is missing' : `expected a time such as 22:00, not ${shown(text)}`
    values.reject(`${place}.${name}`, message)
    return ''
  }
  const hours = { from: time('from'), to: time('to') }
  if (hours.from === hours.to && hours.from !== '')
    values.reject(`${place}.to`, 'is the same as from; leave quiet out for no quiet hours')
  return hours
}

function readEscalation(
  value: unknown,
  channels: readonly string[],
  readChannel: (channel: unknown, place: string) => string,
  values: PlainValues,
): ProfileDelivery['escalation'] {
  if (isAbsent(value)) return null
  const place = 'delivery.escalation'
  const given = values.record(value, place, ['channel', 'after', 'urgency'])
  const channel = readChannel(given.channel, `${place}.channel`)
  if (channel === 'inbox') values.reject(`${place}.channel`, 'is the inbox, where it is already; name another channel')
  else if (channel !== '' && channels.includes(channel))
    values.reject(`${place}.channel`, 'gets everything already; name another channel')
  if (isAbsent(given.after)) values.reject(`${place}.after`, 'is missing')
  const text = values.text(given.after, `${place}.after`, { max: 32 })
  const afterMs = text === undefined ? undefined : parseDuration(text)
  if (text !== undefined && !(afterMs !== undefined && afterMs >= escalations.minMs && afterMs <= escalations.maxMs))
    values.reject(`${place}.after`, `expected a time from 1m to 7d, such as 30m, not ${shown(text)}`)
  const urgency = values.number(given.urgency, `${place}.urgency`, urgencies)
  if (isAbsent(given.urgency)) values.reject(`${place}.urgency`, 'is missing')
  return { channel, after: formatDuration(afterMs ?? 0), urgency: urgency ?? urgencies.max }
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}
