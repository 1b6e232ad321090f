import { Button } from '../kit/button.tsx'
import type { ExplainedTerm, Why } from './explanation.ts'

type Props = { why: Extract<Why, { kind: 'interests' }>; onExclude: (term: ExplainedTerm) => void }

function placesOf({ count, inTitle }: ExplainedTerm): string {
  const times = `${count}×`
  if (inTitle === 0) return `${times} in the text`
  return inTitle >= count ? `${times} in the title` : `${times}, ${inTitle} in the title`
}

const figure = (n: number) => n.toLocaleString('en', { maximumFractionDigits: 2 })

export function WhyTerms({ why, onExclude }: Props) {
  return (
    <div className="pane-terms-frame">
      <table className="pane-terms">
        <thead>
          <tr>
            <th scope="col">Term</th>
            <th scope="col">Where</th>
            <th scope="col" className="pane-terms-number">
              Weight
            </th>
            <th scope="col" className="pane-terms-number">
              Worth
            </th>
            <th scope="col">
              <span className="only-heard">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {why.terms.map((term) => (
            <tr key={term.key}>
              <th scope="row">{term.key}</th>
              <td>{placesOf(term)}</td>
              <td className="pane-terms-number">{figure(term.weight)}</td>
              <td className="pane-terms-number">{figure(term.worth)}</td>
              <td className="pane-terms-action">
                <Button small look="quiet" onClick={() => onExclude(term)} aria-label={`Exclude ${term.key}`}>
                  Exclude…
                </Button>
              </td>
            </tr>
          ))}
          {why.furtherTerms > 0 && (
            <tr>
              <td colSpan={3}>{why.furtherTerms} further terms</td>
              <td className="pane-terms-number">{figure(why.furtherWorth)}</td>
              <td />
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}
