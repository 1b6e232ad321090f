import type { StatusReport } from '../../core/reports/status-report.ts'
import type { ChannelFigures } from '../../store/contracts/channels.ts'

/** Totals over all kinds of channels. */
export function channelTotals(figures: readonly ChannelFigures[]): StatusReport['channels'] {
  const sum = (name: 'channels' | 'failing' | 'waiting'): number =>
    figures.reduce((total, each) => total + each[name], 0)
  return { channels: sum('channels'), failing: sum('failing'), waiting: sum('waiting') }
}
