"""Recipes: which linear layers compute in 8 bits, and how. Applied before autograd to what torch.compile traced.

Dynamo's graph still says `F.linear` and carries the module's name; its replacement is traced through autograd by
AOTAutograd, so the joint graph holds `octavo::quantize` and `octavo::scaled_matmul` for forward and backward, and the
partitioner may save 8-bit operands.
"""

from octavo.frontend.recipe import operators
from octavo.frontend.recipe.linear import RECIPES, Recipe, linear

__all__ = ["RECIPES", "Recipe", "linear", "operators"]
