"""Algorithm 1 as it is meant, seen by who knows it."""

from __future__ import annotations

from flint import fmpq

from kproof.models.attacks.knowing.contents import Content, add
from kproof.models.attacks.knowing.exchanging import ExchangingRuns
from kproof.models.attacks.knowing.runs import MethodArc, MethodState


class CorrectedRuns(ExchangingRuns):
    """Runs of the corrected algorithm, see :func:`kproof.models.tables.theta.method`."""

    def gives(self, content: Content) -> bool:
        """Say whether V ≥ θ."""
        return bool(self.reach.passes(content))

    def arcs(self, state: MethodState) -> list[MethodArc]:
        """Return the moves of the class that is worked on."""
        stage = state.stage
        content = self.held(state, stage)
        if content is None:
            return self.reveal(state)
        if content not in self.reach.own[stage]:
            return []
        if self.reach.passes(content):
            return self.finish(state, content)
        if stage < self.last:
            return self._exchange_later(state, content)
        return self.exchange_back(state, content) or self._add_noise(state, content, fmpq(1))

    def _exchange_later(self, state: MethodState, content: Content) -> list[MethodArc]:
        """Exchange with the first later class that can, or else add noise."""
        stage, known = state.stage, list(state.known)
        arcs: list[MethodArc] = []
        chance = fmpq(1)
        for position in range(stage + 1, self.last + 1):
            gifts, (share, refusing) = self.offers(stage, content, position, known[position])
            for gift, received, given in gifts:
                after = list(known)
                after[stage], after[position] = received, given
                arcs.append(MethodArc(chance * gift, state._replace(known=tuple(after))))
            if not share:
                return arcs
            known[position] = refusing
            chance *= share
        return arcs + self._add_noise(state._replace(known=tuple(known)), content, chance)

    def _add_noise(self, state: MethodState, content: Content, chance: fmpq) -> list[MethodArc]:
        """Add a row with a value that is absent from the class."""
        stage, (before, here) = state.stage, state.noise
        codes = self.ties.noise(content)
        arcs = []
        for code in codes:
            wider = add(content, code, 1)
            if wider in self.reach.own[stage]:
                after = state.learn({stage: self.sure(wider)})
                noise = (before, tuple(sorted((*here, code))))
                arcs.append(MethodArc(chance / len(codes), after._replace(noise=noise)))
        return arcs
