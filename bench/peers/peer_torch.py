"""PyTorch: RankNet's loss on a net of 10 tanh units, and ListNet's, on z-scores."""
import copy

import torch

from common import THREADS, ndcg

MODULE = "torch"
KINDS = {"RankNet": [{"rate": 0.01}, {"rate": 0.003}], "ListNet": [{"rate": 0.01}]}
HIDDEN, EPOCHS, LISTS = 10, 50, 8


def pad(lists, x):
    """[lists, longest, features], and labels with -1 where there is no document."""
    rows = torch.zeros(len(lists.sizes), max(lists.sizes), x.shape[1])
    labels = torch.full(rows.shape[:2], -1.0)
    y, first = torch.from_numpy(lists.y.copy()), 0
    for q, n in enumerate(lists.sizes):
        rows[q, :n], labels[q, :n] = x[first:first + n], y[first:first + n]
        first += n
    return rows, labels


def ranknet(score, label):
    apart = score.unsqueeze(-1) - score.unsqueeze(-2)
    is_pair = (label.unsqueeze(-1) > label.unsqueeze(-2)) & (label.unsqueeze(-2) >= 0)
    costs = torch.nn.functional.softplus(-apart) * is_pair
    return (costs.sum((-1, -2)) / is_pair.sum((-1, -2)).clamp(min=1)).mean()


def listnet(score, label):
    hide = torch.where(label >= 0, 0.0, -1e9)
    aim = torch.softmax(label + hide, -1)
    return -(aim * torch.log_softmax(score + hide, -1)).sum(-1).mean()


def scores(net, centre, scale, rows):
    with torch.no_grad():
        return net((torch.from_numpy(rows.copy()) - centre) / scale).squeeze(-1).numpy()


def learn(kind, train, valid, seed, setting):
    """The net, and what is taken from and divides each feature before it."""
    torch.manual_seed(seed)
    torch.set_num_threads(THREADS)
    x = torch.from_numpy(train.x.copy())
    centre, spread = x.mean(0), x.std(0)
    scale = torch.where(spread > 0, spread, 1.0)
    rows, labels = pad(train, (x - centre) / scale)
    net = torch.nn.Sequential(torch.nn.Linear(x.shape[1], HIDDEN), torch.nn.Tanh(),
                              torch.nn.Linear(HIDDEN, 1))
    optimiser = torch.optim.AdamW(net.parameters(), lr=setting["rate"], weight_decay=0.01)
    cost, best, kept = (ranknet if kind == "RankNet" else listnet), -1.0, None

    for _ in range(EPOCHS):
        for batch in torch.randperm(len(rows)).split(LISTS):
            optimiser.zero_grad()
            cost(net(rows[batch]).squeeze(-1), labels[batch]).backward()
            optimiser.step()
        value = ndcg(valid, scores(net, centre, scale, valid.x))
        if value > best:
            best, kept = value, copy.deepcopy(net.state_dict())
    net.load_state_dict(kept)
    torch.set_num_threads(1)
    return net, centre, scale


def fit(kind, train, valid, seed, setting):
    found = learn(kind, train, valid, seed, setting)
    return lambda rows: scores(*found, rows)


def version():
    return torch.__version__
