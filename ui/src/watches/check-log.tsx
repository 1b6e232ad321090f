import type { Check } from '../api/types.ts'
import { RelativeTime } from '../time/relative-time.tsx'

function tookText(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`
}

function outcomeText({ outcome, changed }: Check): string {
  const word = outcome.replaceAll('-', ' ')
  if (changed === 0) return word
  return `${word}, ${changed} new ${changed === 1 ? 'version' : 'versions'}`
}

export function CheckLog({ checks }: { checks: readonly Check[] }) {
  return (
    <section className="check-log">
      <h3>Last checks</h3>
      {checks.length === 0 ? (
        <p className="soft">None yet. “Check now” does not wait for the next round.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Outcome</th>
              <th scope="col" className="check-log-number">
                Status
              </th>
              <th scope="col" className="check-log-number">
                Took
              </th>
            </tr>
          </thead>
          <tbody>
            {checks.map((check) => (
              <tr key={check.at}>
                <td>
                  <RelativeTime at={check.at} />
                </td>
                <td>{outcomeText(check)}</td>
                <td className="check-log-number">{check.status === 0 ? '—' : check.status}</td>
                <td className="check-log-number">{tookText(check.tookMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
