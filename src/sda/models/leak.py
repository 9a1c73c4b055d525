"""LeakRNN, the paper's second base: LeakGAN's generator, whose manager reads the discriminator.

What the released LeakGAN meant and its code does not do (decision 0016): the manager's cosine is
taken for each position, so that each reward weighs its own; the initial goal is one vector, not one
per place in the batch; features are the discriminator's alone to change.
"""

from __future__ import annotations

from typing import Literal, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity, linear, normalize, pad

from sda.models.branching import State
from sda.models.cnn import CnnDiscriminator
from sda.models.generator import Frame, Generator
from sda.models.initialise import normal_
from sda.models.prefix_cache import PrefixCache
from sda.models.prefixes import PrefixReader
from sda.models.rnn import layer_weights
from sda.models.softmax import linear_log_probs, linear_weighted_nll
from sda.text.context import Context
from sda.text.sentences import Sentences

WorkerReward = Literal["q", "intrinsic"]
Memory = tuple[Tensor, Tensor]

SHORTEST = 1e-12
"""The least length that a sub-goal counts as when it is brought to unit length."""


class LeakGenerator(Generator):
    """A manager that sets goals in feature space and a worker that writes words towards them.

    Every `block` steps the sum of the manager's last `block` sub-goals becomes the active goal; the
    first block has a learned one. Logits are those of a matrix (V, `goal_size`) made by the worker,
    times the embedded goal: one product with the outer product of worker state and goal.

    Features of the sentences that it is told to `expect` are kept for maximum likelihood while the
    discriminator does not change. Where those of all of them do not fit into `cache_megabytes`, or
    it is 0, features are computed anew for each batch.
    """

    def __init__(
        self,
        frame: Frame,
        rng: torch.Generator,
        discriminator: CnnDiscriminator,
        embedding: int = 32,
        hidden: int = 32,
        goal_size: int = 16,
        block: int = 4,
        dropout: float = 0.0,
        worker_reward: WorkerReward = "q",
        init_std: float = 0.1,
        cache_megabytes: int = 2048,
    ) -> None:
        super().__init__(frame)
        if not isinstance(discriminator, CnnDiscriminator):
            raise ValueError("LeakRNN reads the features of a CNN discriminator, and of no other")
        self.reader = PrefixReader(discriminator)
        self.hidden = hidden
        self.block = block
        self.worker_reward = worker_reward
        self.cache_megabytes = cache_megabytes
        self._cache: PrefixCache | None = None
        size = self.reader.size
        self.manager = nn.LSTM(size, hidden, batch_first=True)
        self.goal = nn.Linear(hidden, size)
        self.first_goal = nn.Parameter(torch.empty(size))
        self.goal_embedding = nn.Linear(size, goal_size, bias=False)
        self.embedding = nn.Embedding(self.vocabulary_size + 1, embedding)
        self.worker = nn.LSTM(embedding, hidden, batch_first=True)
        self.dropouts = nn.ModuleList([nn.Dropout(dropout), nn.Dropout(dropout)])
        # One more row than the worker has units: the bias of the matrix (V, goal_size).
        self.output = nn.Parameter(torch.empty(self.vocabulary_size, (hidden + 1) * goal_size))
        self.bias: Tensor
        self.register_buffer("bias", torch.zeros(self.vocabulary_size), persistent=False)
        self.identity: Tensor
        self.register_buffer("identity", torch.eye(4 * hidden), persistent=False)
        normal_(self, init_std, rng)

    def expect(self, sentences: Sentences | None) -> None:
        self._cache = None
        if sentences is not None and len(sentences):
            sentences = sentences.trimmed()
            cache = PrefixCache(self.reader, sentences, self._needed(sentences))
            self._cache = cache if cache.nbytes <= self.cache_megabytes * 10**6 else None

    def start(self, n: int, context: Context | None = None) -> State:
        zero = self.device_zeros(n, self.hidden)
        nothing = torch.zeros(n, 0, dtype=torch.int64, device=self.device)
        peaks = self.device_zeros(n, self.reader.size)
        embedded = self._embed(self.first_goal).expand(n, -1)
        return nothing, peaks, (zero, zero), (zero, zero), embedded

    def step(self, state: State, tokens: Tensor) -> tuple[Tensor, State]:
        read, peaks, manager, worker, embedded = cast(
            tuple[Tensor, Tensor, Memory, Memory, Tensor], state
        )
        t = read.shape[1]
        # The manager works once per block, on all prefixes of the one before: larger products, and
        # none for a block whose goals nobody lives to follow.
        if t and t % self.block == 0:
            # The first column is the start symbol, which no feature sees.
            features, peaks = self.reader.read(
                read[:, 1:], self.block, peaks if t > self.block else None
            )
            goals, manager = self._goals(features, manager)
            embedded = self._embed(self._sums(goals)[:, 0])
        x = self.dropouts[0](self.embedding(tokens))
        worker = torch.lstm_cell(x, worker, *layer_weights(self.worker))
        mixed = self._mix(self.dropouts[1](worker[0]), embedded)
        read = torch.cat((read, tokens[:, None]), 1)
        return mixed @ self.output.t(), (read, peaks, manager, worker, embedded)

    def log_probs(self, sentences: Sentences) -> Tensor:
        sentences = sentences.trimmed()
        mask = sentences.mask
        words = mask.shape[1]
        goals, _ = self._goals(self._features(sentences)[:, : self._read(words)])
        hidden = self._hidden_states(sentences, self._active(goals, words))
        targets = sentences.tokens[mask]
        values = linear_log_probs(hidden, self.output, self.bias, targets)
        return self.device_zeros(*mask.shape).masked_scatter(mask, values)

    def loss(self, sentences: Sentences, weights: Tensor | None = None) -> Tensor:
        """The worker's weighted log-likelihood and the manager's weighted cosine, per sentence.

        A block's weight is that of its first token: with rewards every `block` tokens, its Q.
        """
        sentences = sentences.trimmed()
        mask = sentences.mask
        is_intrinsic = weights is not None and self.worker_reward == "intrinsic"
        words = mask.shape[1]
        if is_intrinsic:
            features, read = self.reader.features(sentences), words
        else:
            features = self._features(sentences, self._cache if weights is None else None)
            read = self._read(words)
        weights = mask if weights is None else weights[:, :words]
        weights = weights.to(self.output.dtype)
        goals, _ = self._goals(features[:, :read])
        active = self._active(goals, words)
        worker_weights = self._intrinsic(features, goals.detach()) if is_intrinsic else weights
        total = linear_weighted_nll(
            self._hidden_states(sentences, active),
            self.output,
            self.bias,
            sentences.tokens[mask],
            worker_weights[mask],
        )
        cosines = self._cosines(sentences, features, active)
        return (total - (weights[:, :: self.block] * cosines).sum()) / len(sentences)

    def _features(self, sentences: Sentences, cache: PrefixCache | None = None) -> Tensor:
        """(B, T + 1, F) of those prefixes on which goals or their cosines depend; zero elsewhere.

        They are read from the cache if it knows the sentences.
        """
        kept = None if cache is None else cache.features(sentences)
        return self.reader.features(sentences, self._needed(sentences)) if kept is None else kept

    def _needed(self, sentences: Sentences) -> Tensor:
        """(B, T + 1) true for the prefixes on which goals or their cosines depend.

        Sub-goals of the last block are never followed, so none is needed between its start and the
        end of the sentence.
        """
        lengths = sentences.lengths[:, None]
        columns = torch.arange(sentences.tokens.shape[1] + 1, device=lengths.device)
        last = (lengths - 1) // self.block * self.block
        return (columns <= last) | (columns == lengths)

    def _read(self, words: int) -> int:
        """How many prefixes of sentences of so many words the manager must read, at least one."""
        return max(1, self._followed(words))

    def _followed(self, words: int) -> int:
        """The number of sub-goals that a later block follows: all but those of the last block."""
        return (words - 1) // self.block * self.block

    def _goals(self, features: Tensor, memory: Memory | None = None) -> tuple[Tensor, Memory]:
        """(B, T, F) the manager's sub-goals, of any length, after the features of each prefix.

        `memory`, twice (B, H), is the manager's before and, in the answer, after them.
        """
        w_in, w_hidden, b_in, b_hidden = layer_weights(self.manager)
        if memory is None:
            zero = self.device_zeros(len(features), self.hidden)
            memory = zero, zero
        # The product with the features stands outside: within the LSTM they would get a gradient
        # too, which nobody wants and which costs as much as that of the weights.
        hidden, state, cell = torch.lstm(
            linear(features, w_in),
            (memory[0][None], memory[1][None]),
            [self.identity, w_hidden, b_in, b_hidden],
            True,
            1,
            0.0,
            self.training,
            False,
            True,
        )
        return self.goal(hidden), (state[0], cell[0])

    def _sums(self, goals: Tensor) -> Tensor:
        """(B, blocks, F) the sums of the sub-goals (B, blocks * block, F), each of unit length."""
        rows, words, size = goals.shape
        blocks = words // self.block
        scales = torch.linalg.vector_norm(goals, dim=2).clamp(min=SHORTEST).reciprocal()
        # One product with the scales: scaled goals would be written, and read again for gradients.
        sums = torch.bmm(
            scales.reshape(rows * blocks, 1, self.block),
            goals.reshape(rows * blocks, self.block, size),
        )
        return sums.view(rows, blocks, size)

    def _active(self, goals: Tensor, words: int) -> Tensor:
        """(B, blocks, F) the goals of the blocks of so many words: sums of those before."""
        first = self.first_goal.expand(len(goals), 1, -1)
        return torch.cat((first, self._sums(goals[:, : self._followed(words)])), 1)

    def _cosines(self, sentences: Sentences, features: Tensor, active: Tensor) -> Tensor:
        """(B, blocks) between what a block changed in feature space and its goal; 0 past the end.

        A block that the end of the sentence cuts short counts as far as it goes.
        """
        starts = torch.arange(active.shape[1], device=active.device) * self.block
        lengths = sentences.lengths[:, None]
        ends = torch.minimum(starts + self.block, lengths)
        rows = torch.arange(len(sentences), device=active.device)[:, None]
        change = features[rows, ends] - features[:, starts]
        return cosine_similarity(change, active, dim=2) * (starts < lengths)

    def _intrinsic(self, features: Tensor, goals: Tensor) -> Tensor:
        """(B, T) LeakGAN's own reward: how well each of the last steps' sub-goals was met."""
        words = goals.shape[1]
        total = features.new_zeros(features.shape[0], words)
        for back in range(1, min(self.block, words) + 1):
            change = features[:, back:] - features[:, :-back]
            total[:, back - 1 :] += cosine_similarity(change, goals[:, : words + 1 - back], dim=2)
        return total / self.block

    def _hidden_states(self, sentences: Sentences, active: Tensor) -> Tensor:
        """(M, (H + 1) * goal size) what the output layer reads, where there is no padding."""
        x = self.dropouts[0](self.embedding(self.inputs(sentences)))
        hidden = self.dropouts[1](self.worker(x)[0])
        goals = self._embed(active).repeat_interleave(self.block, 1)[:, : hidden.shape[1]]
        mask = sentences.mask
        return self._mix(hidden[mask], goals[mask])

    def _embed(self, goal: Tensor) -> Tensor:
        """(..., goal size) of unit length; the worker's loss goes no further into the manager."""
        return normalize(self.goal_embedding(goal.detach()), dim=-1)

    @staticmethod
    def _mix(hidden: Tensor, embedded: Tensor) -> Tensor:
        """(M, (H + 1) * goal size) outer products of worker state, with a one behind, and goal."""
        extended = pad(hidden, (0, 1), value=1.0)
        return (extended[:, :, None] * embedded[:, None, :]).flatten(1)
