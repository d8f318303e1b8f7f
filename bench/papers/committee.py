"""Who sits in the committee, and which method is best alone: chosen by inner folds, as
committee_letor.py tells and, with `--choose 1`, does again."""
NETS = 3  # seeds of each member
LIBRARY = ("lambdamart", "mart", "rankboost", "lambdaneuralrank", "listnet", "ranknet",
           "lambdarank", "directranker", "sortnet", "cmpnn", "tesauro", "ridge", "ranksvm",
           "coordinate-ascent", "iesr-rank", "adarank")  # what they were chosen from
MEMBERS = {
    "mq2008": ("lambdamart", "coordinate-ascent", "iesr-rank", "rankboost", "ranksvm"),
    "ohsumed": ("ranknet", "lambdarank", "cmpnn", "directranker", "lambdaneuralrank",
                "ranksvm", "adarank"),
}
BEST = {"mq2008": "lambdamart", "ohsumed": "ranknet"}
